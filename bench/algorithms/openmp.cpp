#include "bench/peers/openmp.hpp"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "bench/algorithms/standard.hpp"

namespace bench {
namespace {

const Register<+[](Sum& row, OpenMpPeer&) {
  double sum = 0;
#pragma omp parallel for simd reduction(+ : sum) schedule(static)
  for (std::size_t i = 0; i < row.in.size(); ++i) sum += row.in[i];
  row.result = sum;
}>
    sum("openmp");
const Register<+[](MapFilterSum& row, OpenMpPeer&) {
  double sum = 0;
#pragma omp parallel for simd reduction(+ : sum) schedule(static)
  for (std::size_t i = 0; i < row.in.size(); ++i) sum += MapFilterSum::filtered(MapFilterSum::map(row.in[i]));
  row.result = sum;
}>
    map_filter_sum("openmp");
const Register<+[](Zip& row, OpenMpPeer&) {
  double sum = 0;
#pragma omp parallel for simd reduction(+ : sum) schedule(static)
  for (std::size_t i = 0; i < row.x.size(); ++i) sum += row.x[i] * row.y[i] + row.z[i];
  row.result = sum;
}>
    zip("openmp");
/// The first position for which `is` returns true, or the end. Skips blocks to the right of the best position found so far.
template <class Is>
std::size_t first_of(const Numbers& in, const Is& is) {
  constexpr std::size_t kBlock = 4096;
  std::size_t best = in.size();
#pragma omp parallel for schedule(static, 1)
  for (std::size_t first = 0; first < in.size(); first += kBlock) {
    std::size_t so_far;
#pragma omp atomic read
    so_far = best;
    if (first > so_far) continue;
    const std::size_t last = std::min(first + kBlock, in.size());
    const auto found = static_cast<std::size_t>(std::find_if(in.data() + first, in.data() + last, is) - in.data());
    if (found == last) continue;
#pragma omp critical
    if (found < best) {
#pragma omp atomic write
      best = found;
    }
  }
  return best;
}
constexpr auto kIsOne = [](Number x) { return x == 1; };
const Register<+[](Find& row, OpenMpPeer&) { row.result = first_of(row.in, kIsOne); }> find("openmp");
const Register<+[](AnyOf& row, OpenMpPeer&) { row.result = first_of(row.in, kIsOne) < row.in.size(); }> any_of(
    "openmp");
const Register<+[](MinElement& row, OpenMpPeer&) {
  double least = 2;  // larger than any item
  std::size_t place = 0;
#pragma omp parallel
  {
    double mine = 2;
    std::size_t my_place = 0;
#pragma omp for schedule(static)
    for (std::size_t i = 0; i < row.in.size(); ++i) {
      if (row.in[i] < mine) {
        mine = row.in[i];
        my_place = i;
      }
    }
#pragma omp critical
    if (mine < least) {
      least = mine;
      place = my_place;
    }
  }
  row.result = place;
}>
    min_element("openmp");
const Register<+[](Count& row, OpenMpPeer&) {
  std::size_t count = 0;
#pragma omp parallel for simd reduction(+ : count) schedule(static)
  for (std::size_t i = 0; i < row.in.size(); ++i) count += row.in[i] == Count::kValue;
  row.result = count;
}>
    count_of("openmp");
const Register<+[](Fill& row, OpenMpPeer&) {
#pragma omp parallel for simd schedule(static)
  for (std::size_t i = 0; i < row.out.size(); ++i) row.out[i] = Fill::kValue;
}>
    fill("openmp");

/// The thread's part of `count` items, within a parallel region.
struct Part {
  explicit Part(std::size_t count)
      : parts(static_cast<std::size_t>(omp_get_num_threads())),
        number(static_cast<std::size_t>(omp_get_thread_num())),
        first(count / parts * number),
        last(number + 1 == parts ? count : first + count / parts) {}

  std::size_t parts;
  std::size_t number;
  std::size_t first;
  std::size_t last;
};

/// Two passes over one part per thread: the first computes the size of each part's output, the second writes it after the
/// output of the parts before it. `one(first, last)` returns the size, `two(first, last, offset)` writes.
template <class One, class Two>
std::size_t two_passes(std::size_t count, const One& one, const Two& two) {
  std::vector<std::size_t> ends;
#pragma omp parallel
  {
    const Part part(count);
#pragma omp single
    ends.assign(part.parts + 1, 0);
    ends[part.number + 1] = one(part.first, part.last);
#pragma omp barrier
#pragma omp single
    std::partial_sum(ends.begin(), ends.end(), ends.begin());
    two(part.first, part.last, ends[part.number]);
  }
  return ends.back();
}
const Register<+[](InclusiveScan& row, OpenMpPeer&) {
  two_passes(
      row.in.size(),
      [&](std::size_t first, std::size_t last) {
        return std::accumulate(row.in.data() + first, row.in.data() + last, Number{0});
      },
      [&](std::size_t first, std::size_t last, Number sum) {
        for (std::size_t i = first; i < last; ++i) row.out[i] = sum += row.in[i];
      });
}>
    inclusive_scan("openmp");
const Register<+[](StandardRow<ExclusiveScan>& row, OpenMpPeer&) {
  StandardData& d = row.data();
  two_passes(
      d.in.size(),
      [&](std::size_t first, std::size_t last) {
        return std::accumulate(d.in.data() + first, d.in.data() + last, Number{0});
      },
      [&](std::size_t first, std::size_t last, Number sum) {
        for (std::size_t i = first; i < last; ++i) d.out[i] = std::exchange(sum, sum + d.in[i]);
      });
}>
    exclusive_scan("openmp");
const Register<+[](StandardRow<CopyIf>& row, OpenMpPeer&) {
  StandardData& d = row.data();
  d.answer = static_cast<std::ptrdiff_t>(two_passes(
      d.in.size(),
      [&](std::size_t first, std::size_t last) {
        return static_cast<std::size_t>(std::count_if(d.in.data() + first, d.in.data() + last, is_even));
      },
      [&](std::size_t first, std::size_t last, std::size_t to) {
        std::copy_if(d.in.data() + first, d.in.data() + last, d.out.data() + to, is_even);
      }));
}>
    copy_if("openmp");
const Register<+[](ReduceByKey& row, OpenMpPeer&) {
  row.written = two_passes(
      row.keys.size(),
      [&](std::size_t first, std::size_t last) {
        std::size_t runs = 0;
        for (std::size_t i = first; i < last; ++i) runs += row.begins(i);
        return runs;
      },
      [&](std::size_t first, std::size_t last, std::size_t to) { row.reduce(first, last, to); });
}>
    reduce_by_key("openmp");

/// Each thread writes a part of the output; a binary search finds the beginning of its input.
const Register<+[](StandardRow<Merge>& row, OpenMpPeer&) {
  StandardData& d = row.data();
  const Numbers& left = d.in;
  const Numbers& right = d.other;
  const auto of_left = [&](std::size_t count) {  // items of `left` among the first `count` of the output
    std::size_t least = count - std::min(count, right.size());
    std::size_t most = std::min(count, left.size());
    while (least < most) {
      const std::size_t half = (least + most) / 2;
      if (right[count - half - 1] < left[half]) {
        most = half;
      } else {
        least = half + 1;
      }
    }
    return least;
  };
#pragma omp parallel
  {
    const Part part(d.out.size());
    const std::size_t first = of_left(part.first);
    const std::size_t last = of_left(part.last);
    std::merge(left.begin() + static_cast<std::ptrdiff_t>(first), left.begin() + static_cast<std::ptrdiff_t>(last),
               right.begin() + static_cast<std::ptrdiff_t>(part.first - first),
               right.begin() + static_cast<std::ptrdiff_t>(part.last - last), d.out.data() + part.first);
  }
}>
    merge("openmp");
const Register<+[](StandardRow<ForEach>& row, OpenMpPeer&) {
  Numbers& items = row.data().items;
#pragma omp parallel for simd schedule(static)
  for (std::size_t i = 0; i < items.size(); ++i) items[i] = mix(items[i]);
}>
    for_each("openmp");
const Register<+[](StandardRow<ReplaceIf>& row, OpenMpPeer&) {
  Numbers& items = row.data().items;
#pragma omp parallel for simd schedule(static)
  for (std::size_t i = 0; i < items.size(); ++i) items[i] = is_even(items[i]) ? 1 : items[i];
}>
    replace_if("openmp");
const Register<+[](StandardRow<TransformReduce>& row, OpenMpPeer&) {
  const Numbers& in = row.data().in;
  Number sum = 0;
#pragma omp parallel for simd reduction(+ : sum) schedule(static)
  for (std::size_t i = 0; i < in.size(); ++i) sum += mix(in[i]);
  row.data().answer = static_cast<std::ptrdiff_t>(sum);
}>
    transform_reduce("openmp");
const Register<+[](Transform& row, OpenMpPeer&) {
#pragma omp parallel for simd schedule(static)
  for (std::size_t i = 0; i < row.in.size(); ++i) row.out[i] = Transform::map(row.in[i]);
}>
    transform("openmp");
const Register<+[](Histogram& row, OpenMpPeer&) {
  row.out.assign(Histogram::kBins, 0);
  std::size_t* const counts = row.out.data();
#pragma omp parallel for reduction(+ : counts[ : Histogram::kBins]) schedule(static)
  for (std::size_t i = 0; i < row.in.size(); ++i) ++counts[row.in[i]];
}>
    histogram("openmp");
const Register<+[](Reverse& row, OpenMpPeer&) {
  const std::size_t count = row.items.size();
#pragma omp parallel for schedule(static)
  for (std::size_t i = 0; i < count / 2; ++i) std::swap(row.items[i], row.items[count - 1 - i]);
}>
    reverse("openmp");

/// `of_part(first, last)` returns the end of the kept items of a part. The result has their beginning and end for each part.
struct Kept {
  Number* first;
  Number* end;
};
template <class OfPart>
std::vector<Kept> kept_of_parts(Numbers& items, const OfPart& of_part) {
  std::vector<Kept> kept;
#pragma omp parallel
  {
    const Part part(items.size());
#pragma omp single
    kept.resize(part.parts);
    Number* const first = items.data() + part.first;
    kept[part.number] = {first, of_part(first, items.data() + part.last)};
  }
  return kept;
}
/// One map per part; one thread merges the maps.
template <class GroupRow>
void group_by(GroupRow& row, OpenMpPeer&) {
  std::vector<std::unordered_map<Number, Numbers>> maps;
#pragma omp parallel
  {
    const Part part(row.keys.size());
    std::unordered_map<Number, Numbers> mine;
    for (std::size_t i = part.first; i < part.last; ++i) mine[row.keys[i]].push_back(i);
#pragma omp single
    maps.resize(part.parts);
    maps[part.number] = std::move(mine);
  }
  for (std::size_t part = 1; part < maps.size(); ++part) {
    for (const auto& [key, positions] : maps[part]) {
      Numbers& to = maps[0][key];
      to.insert(to.end(), positions.begin(), positions.end());
    }
  }
  row.take(maps[0], [](const auto& group) -> const Numbers& { return group.second; });
}
const Register<&group_by<GroupByFew>> group_by_few("openmp");
const Register<&group_by<GroupByMany>> group_by_many("openmp");

/// One thread moves the kept items of each part to the left.
const Register<+[](StandardRow<Unique>& row, OpenMpPeer&) {
  Numbers& items = row.data().items;
  Number* const begin = items.data();
  Number* end = begin;
  for (auto [first, last] : kept_of_parts(items, [](Number* f, Number* l) { return std::unique(f, l); })) {
    if (end != begin && first != last && *first == end[-1]) ++first;
    end = end == first ? last : std::copy(first, last, end);
  }
  items.resize(static_cast<std::size_t>(end - begin));
}>
    unique("openmp");
/// The kept items of each part are swapped with the items that the parts before it did not keep.
const Register<+[](Partition& row, OpenMpPeer&) {
  Number* left = row.items.data();
  const auto of_part = [](Number* first, Number* last) { return std::partition(first, last, is_even); };
  for (const Kept& part : kept_of_parts(row.items, of_part)) {
    const std::ptrdiff_t swaps = std::min(part.first - left, part.end - part.first);
    Number* const from = part.end - swaps;
#pragma omp parallel for simd schedule(static)
    for (std::ptrdiff_t i = 0; i < swaps; ++i) std::swap(left[i], from[i]);
    left += part.end - part.first;
  }
  row.left = static_cast<std::size_t>(left - row.items.data());
}>
    partition("openmp");

/// Splits into tasks of halves, down to a thread's share; each merge runs on one thread.
struct Sorting {
  template <class Row>
  static void run(Row& row, OpenMpPeer&) {
#pragma omp parallel
#pragma omp single
    sort<Row>(row.items.begin(), row.items.end(),
              std::max<std::ptrdiff_t>(std::ssize(row.items) / omp_get_num_threads(), 4096));
  }

 private:
  template <class Row, class I>
  static void sort(I first, I last, std::ptrdiff_t share) {
    const typename Row::Less less;
    if (last - first > share) {
      const I middle = first + (last - first) / 2;
#pragma omp task
      sort<Row>(first, middle, share);
      sort<Row>(middle, last, share);
#pragma omp taskwait
      std::inplace_merge(first, middle, last, less);
    } else if constexpr (Row::kIsStable) {
      std::stable_sort(first, last, less);
    } else {
      std::sort(first, last, less);
    }
  }
};
const RegisterSorts<Sorting, false> sort("openmp");
const RegisterSorts<Sorting, true> stable_sort("openmp");

}  // namespace
}  // namespace bench
