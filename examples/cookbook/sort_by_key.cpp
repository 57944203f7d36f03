// Sorts records by a member, and two arrays side by side.

#include <cstdio>
#include <functional>
#include <string>
#include <vector>

#include <blitz/algorithm.hpp>

struct City {
  std::string name;
  int people;
};

int main() {
  std::vector<City> cities{{"Rome", 2750}, {"Oslo", 720}, {"Nuuk", 20}, {"Lagos", 16640}, {"Quito", 2010}};
  blitz::sort(cities, std::greater{}, &City::people);

  std::vector<float> distances{30, 10, 20};
  std::vector<char> places{'c', 'a', 'b'};
  blitz::sort_by_key(distances, places);

  std::printf("%s %c%c%c\n", cities.front().name.c_str(), places[0], places[1], places[2]);  // Lagos abc
}
