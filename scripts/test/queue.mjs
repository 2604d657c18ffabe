/**
 * Runs jobs in order, several concurrently, and prints the result of each under the title of its group. A group is printed as
 * its jobs end, but never among the lines of an earlier one.
 */
export async function runQueue(jobs, { sideBySide, isStopped }) {
  const groups = [...new Set(jobs.map(({ group }) => group))].map((title) => ({
    title,
    open: jobs.filter(({ group }) => group === title).length,
    texts: [],
    isTitled: false,
  }));
  const printDue = () => {
    for (const group of groups) {
      if (!group.isTitled) console.log(group.title);
      group.isTitled = true;
      for (const text of group.texts.splice(0)) process.stdout.write(text);
      if (group.open > 0) return;
    }
  };
  const waiting = [...jobs];
  const work = async () => {
    for (let job = waiting.shift(); job !== undefined && !isStopped(); job = waiting.shift()) {
      const { group: title, run } = job;
      const text = await run();
      const group = groups.find((each) => each.title === title);
      group.texts.push(text);
      group.open--;
      printDue();
    }
  };
  await Promise.all(Array.from({ length: sideBySide }, work));
}
