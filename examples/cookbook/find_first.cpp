// The first item that satisfies a predicate, and whether there is one. Blocks to the right of a match do not start.

#include <cstdio>
#include <vector>

#include <blitz/algorithm.hpp>

struct Person {
  int age;
  int city;
};

int main() {
  std::vector<Person> people(500'000);
  for (int i = 0; i < std::ssize(people); ++i) people[static_cast<std::size_t>(i)] = {i % 97, i / 1000};

  const auto of_city = blitz::find(people, 321, &Person::city);
  const auto old = blitz::find_if(of_city, people.end(), [](const Person& person) { return person.age == 96; });
  const bool too_old = blitz::any_of(people, [](const Person& person) { return person.age > 96; });

  std::printf("%td %td %d\n", of_city - people.begin(), old - people.begin(), too_old);  // 321000 321069 0
}
