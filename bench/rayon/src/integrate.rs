//! Adaptive quadrature, in the order of operations of `integrate/workload.hpp`: the results have the same bits.

use rayon::{join, ThreadPool};

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
