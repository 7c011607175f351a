//! Plonky3's transforms over its fields, of one column or sixteen. The fastest implementation on this machine is used.
use p3_baby_bear::BabyBear;
use p3_dft::{Radix2Bowers, Radix2DFTSmallBatch, Radix2Dit, Radix2DitParallel, TwoAdicSubgroupDft};
use p3_field::{PrimeField64, TwoAdicField};
use p3_goldilocks::Goldilocks;
use p3_koala_bear::KoalaBear;
use p3_matrix::dense::RowMajorMatrix;
use p3_monty_31::dft::RecursiveDft;
use std::ffi::{c_char, c_void, CStr};
use std::time::{Duration, Instant};

const COLUMNS: usize = 16;
const TRIES: usize = 15;

/// A transform of columns, in place if the implementation supports it. The order of the results depends on the implementation.
type Transform<F> = Box<dyn FnMut(Vec<F>) -> Vec<F>>;

trait Work {
    fn load(&mut self, x: &[u64]);
    fn run(&mut self);
    fn store(&self, z: &mut [u64]);
}

struct Columns<F> {
    values: Vec<F>,
    transform: Transform<F>,
}

impl<F: PrimeField64> Work for Columns<F> {
    fn load(&mut self, x: &[u64]) {
        self.values.iter_mut().zip(x).for_each(|(value, &v)| *value = F::from_u64(v));
    }

    fn run(&mut self) {
        let values = std::mem::take(&mut self.values);
        self.values = (self.transform)(values);
    }

    fn store(&self, z: &mut [u64]) {
        z.iter_mut().zip(&self.values).for_each(|(word, value)| *word = value.as_canonical_u64());
    }
}

/// Returns the implementations for all fields. Results in bit-reversed order are not permuted.
fn common<F: TwoAdicField + Ord>(columns: usize) -> Vec<Transform<F>> {
    let (small, dit) = (Radix2DFTSmallBatch::<F>::default(), Radix2Dit::<F>::default());
    let parallel = Radix2DitParallel::<F>::default();
    vec![
        Box::new(move |v| small.dft_batch(RowMajorMatrix::new(v, columns)).values),
        Box::new(move |v| dit.dft_batch(RowMajorMatrix::new(v, columns)).values),
        Box::new(move |v| Radix2Bowers.dft_batch(RowMajorMatrix::new(v, columns)).values),
        Box::new(move |v| parallel.dft_batch(RowMajorMatrix::new(v, columns)).inner.values),
    ]
}

/// Returns the median time of `TRIES` runs.
fn spent<F: PrimeField64>(values: &[F], transform: &mut Transform<F>) -> Duration {
    let mut values = transform(values.to_vec());
    let mut times = [Duration::MAX; TRIES];
    for time in &mut times {
        let start = Instant::now();
        values = transform(values);
        *time = start.elapsed();
    }
    times.sort();
    times[TRIES / 2]
}

fn fastest<F: PrimeField64>(n: usize, columns: usize, transforms: Vec<Transform<F>>) -> Box<dyn Work>
where
    F: 'static,
{
    let values: Vec<F> = (1..=(n * columns) as u64).map(|v| F::from_u64(v * v)).collect();
    let timed = transforms.into_iter().map(|mut transform| (spent(&values, &mut transform), transform));
    let (_, transform) = timed.min_by_key(|(time, _)| *time).expect("a transform");
    Box::new(Columns { values, transform })
}

macro_rules! monty {
    ($field:ty, $n:expr, $columns:expr) => {{
        let (n, columns) = ($n, $columns);
        let recursive = RecursiveDft::<$field>::new(n);
        let mut all = common::<$field>(columns);
        all.push(Box::new(move |v| recursive.dft_batch(RowMajorMatrix::new(v, columns)).inner.values));
        if columns == 1 {
            let table = <$field>::roots_of_unity_table(n);
            all.push(Box::new(move |mut v| {
                <$field>::forward_fft(&mut v, &table);
                v
            }));
        }
        Some(fastest(n, columns, all))
    }};
}

fn made(n: usize, columns: usize, q: u64) -> Option<Box<dyn Work>> {
    match q {
        BabyBear::ORDER_U64 => monty!(BabyBear, n, columns),
        KoalaBear::ORDER_U64 => monty!(KoalaBear, n, columns),
        Goldilocks::ORDER_U64 => Some(fastest(n, columns, common::<Goldilocks>(columns))),
        _ => None,
    }
}

pub struct Plan {
    work: Box<dyn Work>,
    size: usize,
}

#[no_mangle]
pub unsafe extern "C" fn plonky3_plan(
    kernel: *const c_char, n: u64, words: u64, q: *const u64, _root: *const u64,
) -> *mut Plan {
    let columns = match CStr::from_ptr(kernel).to_str() {
        Ok("ntt") => 1,
        Ok("ntt_columns") => COLUMNS,
        _ => return std::ptr::null_mut(),
    };
    if words != 1 || n < 4 {
        return std::ptr::null_mut();
    }
    let (n, size) = (n as usize, n as usize * columns);
    made(n, columns, *q).map_or(std::ptr::null_mut(), |work| Box::into_raw(Box::new(Plan { work, size })))
}

#[no_mangle]
pub unsafe extern "C" fn plonky3_free(plan: *mut Plan) {
    drop(Box::from_raw(plan));
}

#[no_mangle]
pub unsafe extern "C" fn plonky3_load(plan: *mut Plan, _a: *const u64, x: *const u64, _y: *const u64) {
    let plan = &mut *plan;
    plan.work.load(std::slice::from_raw_parts(x, plan.size));
}

#[no_mangle]
pub unsafe extern "C" fn plonky3_run(_z: *mut c_void, plan: *mut Plan) {
    (*plan).work.run();
}

#[no_mangle]
pub unsafe extern "C" fn plonky3_store(z: *mut u64, plan: *mut Plan) {
    let plan = &*plan;
    plan.work.store(std::slice::from_raw_parts_mut(z, plan.size));
}
