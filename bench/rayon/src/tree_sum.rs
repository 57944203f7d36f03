//! The sum over a perfect binary tree.

use rayon::{join, ThreadPool};

fn node_value(mut node: u64) -> u64 {
    const ROUNDS: u32 = 16;
    for _ in 0..ROUNDS {
        node ^= node >> 31;
        node = node.wrapping_mul(0x9e3779b97f4a7c15);
    }
    node
}

#[inline(never)]
fn tree_sum(node: u64, height: u32) -> u64 {
    if height == 1 {
        return node_value(node);
    }
    let (a, b) = join(|| tree_sum(2 * node, height - 1), || tree_sum(2 * node + 1, height - 1));
    node_value(node).wrapping_add(a).wrapping_add(b)
}

#[no_mangle]
pub extern "C" fn bench_rayon_tree_sum(pool: &ThreadPool, root: u64, height: u32) -> u64 {
    pool.install(|| tree_sum(root, height))
}
