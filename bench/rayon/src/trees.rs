//! Trees without a cut-off.

use std::slice;

use rayon::prelude::*;
use rayon::{join, scope, ThreadPool};

// --- fib(n) by its recursive definition ---

#[inline(never)]
fn fib(n: u32) -> u64 {
    if n < 2 {
        return n.into();
    }
    let (a, b) = join(|| fib(n - 1), || fib(n - 2));
    a + b
}

#[no_mangle]
pub extern "C" fn bench_rayon_fib(pool: &ThreadPool, n: u32) -> u64 {
    pool.install(|| fib(n))
}

// --- Queens on a board, row by row ---

/// The squares of the next row that the queens above attack, a bit for each column.
#[derive(Clone, Copy)]
struct Board {
    all: u32,
    columns: u32,
    left: u32,
    right: u32,
}

impl Board {
    fn full(self) -> bool {
        self.columns == self.all
    }

    fn open(self) -> u32 {
        self.all & !(self.columns | self.left | self.right)
    }

    fn with(self, square: u32) -> Board {
        Board {
            all: self.all,
            columns: self.columns | square,
            left: ((self.left | square) << 1) & self.all,
            right: (self.right | square) >> 1,
        }
    }
}

#[inline(never)]
fn queens(board: Board) -> u64 {
    if board.full() {
        return 1;
    }
    match board.open() {
        0 => 0,
        open => place(board, open),
    }
}

/// The number of solutions with a queen on one of the squares of `open`. Each join splits off one square.
fn place(board: Board, open: u32) -> u64 {
    let square = open & open.wrapping_neg();
    let rest = open ^ square;
    if rest == 0 {
        return queens(board.with(square));
    }
    let (a, b) = join(|| queens(board.with(square)), || place(board, rest));
    a + b
}

/// `all` has one bit for each column of the board.
#[no_mangle]
pub extern "C" fn bench_rayon_nqueens(pool: &ThreadPool, all: u32) -> u64 {
    pool.install(|| {
        queens(Board {
            all,
            columns: 0,
            left: 0,
            right: 0,
        })
    })
}

// --- A tree with ten children per node and leaves that return their number ---

const SKYNET_CHILDREN: u64 = 10;

fn skynet_by_join(first: u64, leaves: u64) -> u64 {
    match leaves {
        1 => first,
        _ => subtrees(first, leaves / SKYNET_CHILDREN, SKYNET_CHILDREN),
    }
}

/// `count` subtrees of `each` leaves, halved until one is left.
#[inline(never)]
fn subtrees(first: u64, each: u64, count: u64) -> u64 {
    if count == 1 {
        return skynet_by_join(first, each);
    }
    let half = count / 2;
    let (a, b) = join(
        || subtrees(first, each, half),
        || subtrees(first + half * each, each, count - half),
    );
    a + b
}

/// The caller runs the last child itself.
#[inline(never)]
fn skynet_by_scope(first: u64, leaves: u64) -> u64 {
    if leaves == 1 {
        return first;
    }
    let each = leaves / SKYNET_CHILDREN;
    let mut sums = [0; SKYNET_CHILDREN as usize];
    scope(|s| {
        let (last, others) = sums.split_last_mut().unwrap();
        for (start, sum) in (first..).step_by(each as usize).zip(others) {
            s.spawn(move |_| *sum = skynet_by_scope(start, each));
        }
        *last = skynet_by_scope(first + (SKYNET_CHILDREN - 1) * each, each);
    });
    sums.iter().sum()
}

#[inline(never)]
fn skynet_by_iterator(first: u64, leaves: u64) -> u64 {
    if leaves == 1 {
        return first;
    }
    let each = leaves / SKYNET_CHILDREN;
    (0..SKYNET_CHILDREN)
        .into_par_iter()
        .map(|child| skynet_by_iterator(first + child * each, each))
        .sum()
}

#[no_mangle]
pub extern "C" fn bench_rayon_skynet_by_join(pool: &ThreadPool, leaves: u64) -> u64 {
    pool.install(|| skynet_by_join(0, leaves))
}

#[no_mangle]
pub extern "C" fn bench_rayon_skynet_by_scope(pool: &ThreadPool, leaves: u64) -> u64 {
    pool.install(|| skynet_by_scope(0, leaves))
}

#[no_mangle]
pub extern "C" fn bench_rayon_skynet_by_iterator(pool: &ThreadPool, leaves: u64) -> u64 {
    pool.install(|| skynet_by_iterator(0, leaves))
}

// --- The sum over a perfect binary tree ---

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

// --- Unbalanced tree search ---

/// Like mix() in `harness/hash.hpp`.
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

/// For each depth, the chance of one more child: a draw below this number.
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

/// The root has `root` children; every other node has a fixed number of children, or none.
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

/// The sum over `count` children of `node`. Halves the range until one child is left.
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

/// A node other than the root has `children` children if a hash of its state is below `inner`.
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

// --- Adaptive quadrature, with the operations in the order of `trees/workloads.hpp`: bit-identical results ---

/// A piece under the curve, and its area by the trapezoidal rule.
#[repr(C)]
pub struct Interval {
    left: f64,
    right: f64,
    left_height: f64,
    right_height: f64,
    area: f64,
}

fn curve(x: f64) -> f64 {
    (x * x + 1.0) * x
}

#[inline(never)]
fn halves(whole: &Interval) -> [Interval; 2] {
    let width = (whole.right - whole.left) * 0.5;
    let middle = whole.left + width;
    let height = curve(middle);
    [
        Interval {
            left: whole.left,
            right: middle,
            left_height: whole.left_height,
            right_height: height,
            area: (whole.left_height + height) * width * 0.5,
        },
        Interval {
            left: middle,
            right: whole.right,
            left_height: height,
            right_height: whole.right_height,
            area: (height + whole.right_height) * width * 0.5,
        },
    ]
}

#[inline(never)]
fn integral(whole: &Interval, tolerance: f64) -> f64 {
    let [first, second] = halves(whole);
    let area = first.area + second.area;
    if (area - whole.area).abs() <= tolerance {
        return area;
    }
    let (a, b) = join(|| integral(&first, tolerance), || integral(&second, tolerance));
    a + b
}

#[no_mangle]
pub extern "C" fn bench_rayon_integrate(pool: &ThreadPool, whole: &Interval, tolerance: f64) -> f64 {
    pool.install(|| integral(whole, tolerance))
}
