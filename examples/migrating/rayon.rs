//! From Rayon: the pieces of Rust in docs/migrating.md. others.cpp has their blitz versions and prints the same output.

use rayon::prelude::*;

fn energy(v: &[f64]) -> f64 {
    v.par_iter().filter(|x| **x > 0.0).map(|x| x * x).sum()
}

fn quicksort(v: &mut [i32]) {
    if v.len() < 2 { return; }
    let middle = v.len() / 2;
    v.select_nth_unstable(middle);
    let (left, right) = v.split_at_mut(middle);
    rayon::join(|| quicksort(left), || quicksort(&mut right[1..]));
}

fn main() {
    let mut numbers = [3, 1, 4, 1, 5, 9, 2, 6];
    quicksort(&mut numbers);
    println!("{} {}{}", energy(&[-1.0, 2.0, 3.0]), numbers[0], numbers[7]);
}
