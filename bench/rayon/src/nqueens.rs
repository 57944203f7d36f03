//! Queens on a board, row by row.

use rayon::{join, ThreadPool};

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

/// A queen on each of the squares of `open`, one of which is taken off by each join.
fn place(board: Board, open: u32) -> u64 {
    let square = open & open.wrapping_neg();
    let rest = open ^ square;
    if rest == 0 {
        return queens(board.with(square));
    }
    let (a, b) = join(|| queens(board.with(square)), || place(board, rest));
    a + b
}

/// `all`: a bit for each column of the board.
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
