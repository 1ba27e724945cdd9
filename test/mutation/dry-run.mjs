/** What the run without a mutant has shown, and what mutants have been killed since: for both processes of Stryker. */
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const shownIn = (rootDir) => join(rootDir, 'dry-run.json');
const killsIn = (rootDir) => join(rootDir, 'kills.txt');
const hangsIn = (rootDir) => join(rootDir, 'hangs.txt');
let shown;

/**
 * By test file: the milliseconds to load it (`loadMs`), the ids of the mutants that it met outside its tests (`outside`),
 * and of each of its `tests`, by full name, the milliseconds that it took (`ms`), the mutants that it met (`met`), and how
 * often that which it met most often (`hits`). Undefined in the run without a mutant.
 */
export function dryRun(rootDir) {
  if (!shown && existsSync(shownIn(rootDir))) shown = JSON.parse(readFileSync(shownIn(rootDir), 'utf8'));
  return shown;
}

/** Keeps what {@link dryRun} is to return. */
export const keepDryRun = (rootDir, files) => writeFileSync(shownIn(rootDir), JSON.stringify(files));

/** How many mutants of a source each test file has killed. */
export function killsOf(rootDir, source) {
  const kills = linesOf(killsIn(rootDir))
    .map((line) => line.split('\t'))
    .filter(([of]) => of === source);
  return new Map([...Map.groupBy(kills, ([, path]) => path)].map(([path, each]) => [path, each.length]));
}

/** Counts one more for {@link killsOf}. */
export const keepKill = (rootDir, source, path) => appendFileSync(killsIn(rootDir), `${source}\t${path}\n`);

/** Whether a mutant has been seen to keep the thread. */
export const hasHung = (rootDir, mutant) => linesOf(hangsIn(rootDir)).includes(mutant);

/** Keeps it for {@link hasHung}. */
export const keepHang = (rootDir, mutant) => appendFileSync(hangsIn(rootDir), `${mutant}\n`);

const linesOf = (path) => (existsSync(path) ? readFileSync(path, 'utf8').split('\n') : []);
