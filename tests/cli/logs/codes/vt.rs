//! LB data of DARMA/vt.

use super::{MOVES, RANKS, STEPS, TASKS, assert_is, place, read, refused, seconds};
use crate::support::prelude::*;

/// The file of a node of vt.
fn file_of(rank: usize) -> Value {
    let task = |step: usize, task: usize| {
        let seconds = seconds(step, task);
        json!({
            "entity": {"collection_id": 7, "home": task / 2, "id": 262_147 + task, "index": [task],
                "migratable": true, "type": "object"},
            "node": rank, "resource": "cpu", "subphases": [{"id": 0, "time": seconds}], "time": seconds,
        })
    };
    let handler = json!({
        "entity": {"home": rank, "id": 1, "migratable": false, "type": "object"},
        "node": rank, "resource": "cpu", "time": 0.0,
    });
    let phase = |step: usize| {
        let here = (0..TASKS).filter(|task| place(step, *task) == rank);
        let tasks: Vec<Value> = here.map(|t| task(step, t)).chain([handler.clone()]).collect();
        let end = |id: usize| json!({"type": "object", "id": id, "home": 0, "migratable": true});
        let sent =
            json!({"type": "SendRecv", "bytes": 8.0, "messages": 1, "from": end(1), "to": end(2)});
        json!({"id": step, "tasks": tasks, "communications": [sent]})
    };
    let none = json!({"list": [], "range": []});
    json!({
        "metadata": {"type": "LBDatafile", "rank": rank,
            "phases": {"skipped": none, "identical_to_previous": none},
            "shared_node": {"id": rank / 2, "size": 2, "rank": rank % 2, "num_nodes": 2}},
        "phases": (0..STEPS).map(phase).collect::<Vec<Value>>(),
    })
}

/// Writes the data of vt, changed, into a folder of its own.
pub fn write(place: &Workplace, change: impl Fn(usize, &mut Value)) {
    std::fs::create_dir_all(place.path("vt")).unwrap();
    for rank in 0..RANKS {
        let mut file = file_of(rank);
        change(rank, &mut file);
        place.write(&format!("vt/data.{rank}.json"), file.to_string());
    }
}

#[test]
fn lb_data_of_vt_is_read() {
    let place = Workplace::new();
    write(&place, |_, _| {});
    for name in ["vt", "vt/data.0.json", "vt/data.3.json"] {
        let trace = read(&place.path(name));
        assert!(trace.knows_remaps && trace.repairs[0].contains("4 files of vt"));
        assert_is(&trace, STEPS, &MOVES, name);
    }
    // As vt packs it by default; packed by another program.
    let samples = root().join("tests/cli/corpus/vt_lb_data");
    assert_is(&read(&samples), STEPS, &MOVES, "packed");
    let bytes = std::fs::read(samples.join("data.0.json.br")).unwrap();
    std::fs::create_dir(place.path("bare")).unwrap();
    for rank in 0..RANKS {
        let bytes = std::fs::read(samples.join(format!("data.{rank}.json.br"))).unwrap();
        place.write(&format!("bare/data.{rank}.json"), bytes);
    }
    assert_is(&read(&place.path("bare")), STEPS, &MOVES, "packed, and not said so");
    place.write("bare/data.0.json", &bytes[..bytes.len() / 2]);
    assert!(refused(&place.path("bare")).contains("data.0.json"));
    // Phases that are as the one before are not written; only one is, here, for all that follow.
    write(&place, |_, file| {
        file["phases"].as_array_mut().unwrap().truncate(30);
        file["metadata"]["phases"]["identical_to_previous"] =
            json!({"list": [30], "range": [[31, 39]]});
    });
    let trace = read(&place.path("vt"));
    assert_eq!(trace.record.steps(), 40);
    assert_eq!(trace.record.row(39), trace.record.row(29));
    // Without objects that can move, nothing is known of remaps.
    write(&place, |_, file| {
        for phase in file["phases"].as_array_mut().unwrap() {
            for task in phase["tasks"].as_array_mut().unwrap() {
                task["entity"]["migratable"] = json!(false);
            }
        }
    });
    assert!(!read(&place.path("vt")).knows_remaps);
}

/// Each damage of the data of node 2 is said, with its file and field.
#[test]
fn damaged_lb_data_is_explained() {
    let place = Workplace::new();
    let said = |change: &dyn Fn(&mut Value)| {
        write(&place, |rank, file| {
            if rank == 2 {
                change(file);
            }
        });
        refused(&place.path("vt"))
    };
    let time = "/phases/3/tasks/0/time";
    let type_of = "phases[3].tasks[0].time: invalid type";
    let same = "/metadata/phases/identical_to_previous/range";
    for (place, value, words) in [
        (time, json!("1.0"), type_of),
        (time, json!(null), type_of),
        (time, json!(-1.0), "phases[3].tasks[0].time: -1 is no time"),
        ("/phases/3/id", json!(2), "phases[3].id: phase 2 is there twice"),
        ("/phases/3/id", json!(-3), "phases[3].id: invalid value"),
        ("/phases", json!({}), "phases: invalid type"),
        ("/metadata/type", json!("LBStatsfile"), "not \"LBDatafile\""),
        ("/metadata/rank", json!(1), "are both of node 1"),
        (same, json!([[9, 2]]), "identical_to_previous: 9 to 2"),
    ] {
        let said = said(&|file| *file.pointer_mut(place).unwrap() = value.clone());
        assert!(said.contains(words) && said.contains("data.2.json"), "{words}: {said}");
    }
    let task = "/phases/1/tasks/0";
    let entity = "/phases/1/tasks/0/entity";
    for (place, field, words) in [
        (task, "time", "phases[1].tasks[0]: missing field `time`"),
        (entity, "id", "phases[1].tasks[0].entity: neither `id` nor `seq_id`"),
    ] {
        let said = said(&|file| {
            file.pointer_mut(place).unwrap().as_object_mut().unwrap().remove(field);
        });
        assert!(said.contains(words) && said.contains("data.2.json"), "{words}: {said}");
    }
    // Nodes that are missing, whoever knows of them.
    write(&place, |_, _| {});
    std::fs::remove_file(place.path("vt/data.1.json")).unwrap();
    assert!(refused(&place.path("vt")).contains("the file of node 1 is missing"));
    std::fs::remove_file(place.path("vt/data.3.json")).unwrap();
    assert!(refused(&place.path("vt/data.0.json")).contains("the file of node 1, 3 is missing"));
    write(&place, |_, file| {
        let phases = file["phases"].as_array_mut().unwrap();
        phases.iter_mut().for_each(|phase| phase["tasks"] = json!([]));
    });
    std::fs::remove_file(place.path("vt/data.3.json")).unwrap();
    assert!(refused(&place.path("vt")).contains("metadata.shared_node.size of computer 1 is 2"));
    std::fs::remove_file(place.path("vt/data.2.json")).unwrap();
    assert!(refused(&place.path("vt")).contains("metadata.shared_node.num_nodes is 2"));
    // A node whose last phases are lost, a second run in the folder, and no run.
    let shorter = said(&|file| file["phases"].as_array_mut().unwrap().truncate(40));
    assert!(shorter.contains("rank 2 is there in 40 of 60 steps only"), "{shorter}");
    place.write("vt/stats.0.json", "{}");
    assert!(refused(&place.path("vt")).contains("several runs: data.%p.json, stats.%p.json"));
    std::fs::remove_file(place.path("vt/stats.0.json")).unwrap();
    std::fs::create_dir(place.path("empty")).unwrap();
    assert!(refused(&place.path("empty")).contains("without files such as data.0.json"));
    // Cut short anywhere.
    write(&place, |_, _| {});
    let whole = place.read("vt/data.2.json");
    for end in (1..whole.len()).step_by(397) {
        place.write("vt/data.2.json", &whole[..end]);
        let said = refused(&place.path("vt"));
        assert!(said.contains("data.2.json") && said.contains("cut short"), "{end}: {said}");
    }
    // One file alone, through a pipe.
    place.fed("fit -", whole).says("is missing");
}

/// Writes what other programs pack into `tests/cli/corpus/vt_lb_data`.
#[test]
#[ignore = "writes the sample that `lb_data_of_vt_is_read` reads: unpacked, to the folder SAMPLE names"]
fn sample_of_vt() {
    let folder = std::env::var("SAMPLE").unwrap();
    for rank in 0..RANKS {
        std::fs::write(format!("{folder}/data.{rank}.json"), file_of(rank).to_string()).unwrap();
    }
}
