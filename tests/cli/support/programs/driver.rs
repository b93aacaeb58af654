mod remap_policy;
use remap_policy::*;

fn main() {
    for line in std::io::stdin().lines() {
        let line = line.unwrap();
        let word: Vec<&str> = line.split_whitespace().collect();
        // KIND belief
        let (n, p) = (word[0].parse().unwrap(), word[1].parse().unwrap());
        println!("{} {:e}", remap_now(p, n) as u8, belief(p, n, word[2] == "1"));
        // KIND switching
        let (n, p) = (word[0].parse().unwrap(), word[1].parse().unwrap());
        let next = belief(p, word[3].parse().unwrap());
        println!("{} {:e}", remap_now(p, n, word[2] == "1") as u8, next);
        // KIND map
        let loads: Vec<i64> = word.iter().map(|w| w.parse().unwrap()).collect();
        let loads = loads.try_into().unwrap();
        println!("{} {}", decision(&loads), remap_now(&loads) as u8);
        // KIND imbalance
        let number = |i: usize| word[i].parse::<f64>().unwrap();
        println!("{}", remap_now(word[0].parse().unwrap(), number(1), number(2)) as u8);
        // KIND curve
        let number = |i: usize| word[i].parse::<f64>().unwrap();
        let steps = |i: usize| word[i].parse::<u64>().unwrap();
        println!("{}", remap_now(steps(0), steps(1), number(2), number(3)) as u8);
        // KIND level
        let number = |i: usize| word[i].parse::<f64>().unwrap();
        println!("{}", remap_now(number(0), number(1)) as u8);
        // KIND interval
        println!("{}", remap_now(word[0].parse().unwrap()) as u8);
        // KIND end
    }
}
