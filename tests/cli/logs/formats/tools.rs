//! Samples of files that tools and codes write: TALP, SWIFT, WarpX, vt.

use super::tables::wide;
use super::{Sample, read, refused, steps, time};

const TALP: &str = "Region,Rank,PID,NodeId,Hostname,CpuSet,NumCpus,AvgCpus,Cycles,Instructions,NumMeasurements,NumResets,\
                    NumMpiCalls,NumOmpParallels,NumOmpTasks,ElapsedTime,UsefulTime,MPITime,OMPLoadImbalance,\
                    OMPSchedulingTime,OMPSerializationTime\n";

fn talp(region: &str) -> String {
    let row = |step: usize| {
        (0..2).fold(String::new(), |text, rank| {
            let region = region.replace('#', &step.to_string());
            let useful = 1e9 * time(step, rank);
            text + &format!("{region},{rank},{},0,n1,\"[0,1]\",2,2.0,0,0,1,0,9,0,0,5000000000,{useful:.0},0,0,0,0\n", 100 + rank)
        })
    };
    TALP.to_owned() + &steps(row)
}

fn talp_json(region: &str) -> String {
    let of = |step: usize| {
        let one = |rank: usize| {
            format!(
                "{{\"rank\": {rank}, \"numCpus\": 1, \"usefulTime\": {:.0}}}",
                1e9 * time(step, rank)
            )
        };
        format!("    \"{}\": [{}, {}],\n", region.replace('#', &step.to_string()), one(0), one(1))
    };
    format!(
        "{{\n  \"dlbVersion\": \"3.6\",\n  \"Process\": {{\n{}    \"Global\": []\n  }}\n}}\n",
        steps(of)
    )
}

pub(super) fn tools() -> Vec<Sample> {
    let summary = |text| read(text, "process summary of TALP", (2, 50, 0));
    let caliper = |attribute: &str| {
        let row = |step: usize| {
            let of =
                |rank: usize| format!("main loop,{step},{rank},{:.0}\n", 1e9 * time(step, rank));
            of(0) + &of(1)
        };
        format!("region,iteration#main loop,mpi.rank,{attribute}\n{}", steps(row))
    };
    let ranks = |step: usize| format!("{step},{:.0},{:.0}", 1e9 * (1.0 + time(step, 1)), 1e9);
    vec![
        summary(talp("step #")),
        summary(talp("it#") + "Global,0,100,0,n1,0,1,1.0,0,0,1,0,9,0,0,5,4,0,0,0,0\n"),
        summary(talp_json("step #")),
        refused(talp("Global"), "adds up its regions over the whole run"),
        refused(
            "name,numCpus,numMpiRanks,elapsedTime\n\"Global\",2,2,50\n",
            "metrics of whole regions",
        ),
        refused("{\"dlbVersion\": \"3.6\", \"Application\": {}}\n", "metrics of whole regions"),
        read(caliper("sum#time.duration.ns"), "long table", (2, 50, 0)),
        read(caliper("time.inclusive.duration.ns"), "long table", (2, 50, 0)),
        read(
            wide("iteration#main,max#sum#time.duration.ns,avg#sum#time.duration.ns", ranks),
            "table of largest and mean times",
            (3, 50, 0),
        ),
        refused(caliper("sum#time.duration"), "no column `seconds`"),
        refused(caliper("min#time.duration.ns"), "no column `seconds`"),
        refused(caliper("region.count"), "no column `seconds`"),
    ]
}

fn swift(header: &str, sum: f64) -> String {
    let row = |step: usize| {
        (0..2).fold(String::new(), |text, rank| {
            let user = 100.0 * time(step, rank);
            text + &format!("{step} {rank} {user:.2} 1.00 {:.2} 0.1\n", user + sum)
        })
    };
    format!("{header}\n{}", steps(row))
}

fn warpx(group: &str, hosts: bool) -> String {
    let header = |box_: usize| {
        group.split(' ').enumerate().fold(String::new(), |text, (at, name)| {
            text + &format!(" [{}]{name}_box_{box_}()", 2 + at + 9 * box_)
        })
    };
    let row = |step: usize| {
        let host = if hosts { " n1" } else { " 7" };
        let of =
            |rank: usize| format!(" {:.6} {rank} 0 {} 0 0 64 2{host}", time(step, rank), 8 * rank);
        format!("{} {:.3}{}{}\n", step + 1, 0.1 * (step + 1) as f64, of(0), of(1))
    };
    format!("#[0]step() [1]time(s){}{}\n{}", header(0), header(1), steps(row))
}

pub(super) fn codes() -> Vec<Sample> {
    let balance = |text| read(text, "rank_cpu_balance.log of SWIFT", (2, 50, 0));
    let names = "# step rank user sys sum deadfrac";
    let group = "cost proc lev i_low j_low k_low num_cells gpu_ID hostname";
    let costs = |text| read(text, "LoadBalanceCosts of WarpX", (2, 50, 0));
    let without_header =
        |text: String| text.lines().skip(1).map(|line| line.to_owned() + "\n").collect::<String>();
    vec![
        balance(swift(names, 1.0)),
        balance("# CPU of ranks\n".to_owned() + &swift(names, 1.0)),
        balance(swift("#   step rank user sys sum deadfrac", 1.0) + "\n"),
        refused(swift(names, 2.0), "is not user + sys"),
        refused(swift("# step rank user sys total", 1.0), "names another number of columns"),
        refused(swift("# rank step user sys sum deadfrac", 1.0), "no column `seconds`"),
        costs(warpx(group, true)),
        costs(without_header(warpx(group, true))),
        costs(without_header(warpx(group, false))),
        refused(warpx(group, true).replace("cost_box", "load_box"), "`n1` in it is no number"),
        refused(warpx(group, true).replace(" 2 n1\n", " n1\n"), "fields"),
        refused(warpx(group, true).replace("\n1 ", "\none "), "one"),
    ]
}

/// A node of vt, which is alone.
pub(super) fn vt(kind: &str, key: &str, node: usize) -> String {
    let phase = |id: usize| {
        format!(
            "{{\"id\": {id}, \"{key}\": [{{\"entity\": {{\"id\": 1, \"home\": 0, \"migratable\": true}}, \"node\": {node}, \
             \"resource\": \"cpu\", \"time\": {}}}]}}{}",
            time(id, 1),
            if id < 49 { "," } else { "" }
        )
    };
    format!("{{\"type\": \"{kind}\", \"phases\": [{}]}}", steps(phase))
}
