/**
 * Ends the process, from a thread of its own, when code never gives the main one back: no timer of a test fires then, and
 * Stryker would wait for three times as long as all tests of the mutant take. It runs the mutant again, in a new process,
 * where the first file fails.
 */
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { keepHang } from './dry-run.mjs';

let thread;

/** Ends the process so many milliseconds from now, as hung with the mutant, unless it is called again; undefined: never. */
export function endIn(ms, rootDir, mutant) {
  thread ??= new Worker(new URL(import.meta.url), { workerData: { rootDir }, execArgv: [] });
  thread.unref();
  thread.postMessage({ ms, mutant });
}

if (!isMainThread) {
  let timer;
  parentPort.on('message', ({ ms, mutant }) => {
    clearTimeout(timer);
    if (ms !== undefined) timer = setTimeout(end, ms, mutant);
  });
}

function end(mutant) {
  keepHang(workerData.rootDir, mutant);
  process.kill(process.pid, 'SIGKILL');
}
