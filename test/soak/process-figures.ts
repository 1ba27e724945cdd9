import { readFileSync } from 'node:fs';

const BYTES_PER_KIB = 1024;

/** Resident memory of a process, in MB; undefined without /proc. */
export function residentMb(pid: number): number | undefined {
  const kib = /^VmRSS:\s+(\d+) kB$/m.exec(procFile(pid, 'status'))?.[1];
  return kib === undefined ? undefined : (Number(kib) * BYTES_PER_KIB) / 1e6;
}

/** Clock ticks in a second, on every Linux that Node runs on (proc(5), `USER_HZ`). */
const TICKS_PER_SECOND = 100;

/** CPU time of a process, in seconds; undefined without /proc. */
export function processorSeconds(pid: number): number | undefined {
  // After the name, which may have spaces, come the state, fields 4 to 13, user time and system time.
  const fields = procFile(pid, 'stat').split(') ')[1]?.split(' ');
  return fields && (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}

function procFile(pid: number, name: string): string {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'utf8');
  } catch {
    return '';
  }
}
