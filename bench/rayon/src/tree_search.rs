//! Unbalanced tree search.

use std::slice;

use rayon::{join, ThreadPool};

/// As in `harness/hash.hpp`.
fn mix(mut x: u64) -> u64 {
    x ^= x >> 30;
    x = x.wrapping_mul(0xbf58476d1ce4e5b9);
    x ^= x >> 27;
    x = x.wrapping_mul(0x94d049bb133111eb);
    x ^ (x >> 31)
}

#[derive(Clone, Copy)]
struct Node {
    state: u64,
    depth: u32,
}

impl Node {
    fn child(self, i: u32) -> Node {
        let step = (u64::from(i) + 1).wrapping_mul(0x9e3779b97f4a7c15);
        Node {
            state: mix(self.state.wrapping_add(step)),
            depth: self.depth + 1,
        }
    }
}

trait Tree: Sync {
    fn children(&self, node: Node) -> u32;
}

/// For each depth, the chance of one more child: a draw below it.
struct Geometric<'a> {
    chances: &'a [u64],
}

impl Tree for Geometric<'_> {
    fn children(&self, node: Node) -> u32 {
        let chance = match self.chances.get(node.depth as usize) {
            Some(&chance) => chance,
            None => return 0,
        };
        let mut count = 0;
        let mut draw = mix(node.state);
        while draw < chance {
            count += 1;
            draw = mix(draw);
        }
        count
    }
}

/// Below a root of many children a node has a fixed number of them, or none.
struct Binomial {
    root: u32,
    children: u32,
    inner: u64,
}

impl Tree for Binomial {
    fn children(&self, node: Node) -> u32 {
        match node.depth {
            0 => self.root,
            _ if mix(node.state) < self.inner => self.children,
            _ => 0,
        }
    }
}

/// The sum over the states of all nodes of a subtree.
#[inline(never)]
fn visit<T: Tree>(tree: &T, node: Node) -> u64 {
    match tree.children(node) {
        0 => node.state,
        count => node.state.wrapping_add(children(tree, node, 0, count)),
    }
}

/// So many of the children of `node`, halved until one is left.
#[inline(never)]
fn children<T: Tree>(tree: &T, node: Node, first: u32, count: u32) -> u64 {
    if count == 1 {
        return visit(tree, node.child(first));
    }
    let half = count / 2;
    let (a, b) = join(
        || children(tree, node, first, half),
        || children(tree, node, first + half, count - half),
    );
    a.wrapping_add(b)
}

/// # Safety
/// `chances` points to `depth` numbers.
#[no_mangle]
pub unsafe extern "C" fn bench_rayon_tree_geometric(
    pool: &ThreadPool,
    state: u64,
    chances: *const u64,
    depth: usize,
) -> u64 {
    let chances = slice::from_raw_parts(chances, depth);
    pool.install(|| visit(&Geometric { chances }, Node { state, depth: 0 }))
}

/// A node but the root has `children` children if a hash of it is below `inner`.
#[no_mangle]
pub extern "C" fn bench_rayon_tree_binomial(
    pool: &ThreadPool,
    state: u64,
    root: u32,
    children: u32,
    inner: u64,
) -> u64 {
    let tree = Binomial { root, children, inner };
    pool.install(|| visit(&tree, Node { state, depth: 0 }))
}
