/**
 * Feeds a billing meter, once a day after 01:00 UTC: the units of each project and UTC day, under the id
 * `<projectId>:<day>`. It sends the last three days, or those that are given; what the meter has already it refuses with
 * 409, so a run may end anywhere and be repeated: `METER_URL=https://… node meter.ts [2026-11-21 …]`.
 */
import { SandboxManagement } from 'sandbox-gateway/management';

const { METER_URL = '', METER_TOKEN = '' } = process.env;
if (!/^(https:\/\/|http:\/\/(localhost|127\.0\.0\.1)(:\d+)?(\/|$))/.test(METER_URL)) {
  throw new Error('METER_URL must begin with https://, so that nobody on the way reads the token.');
}
const DAY_MS = 86_400_000;
const [ATTEMPTS, TIMEOUT_MS] = [5, 10_000];
/** It repeats what is lost, throttled or unavailable. */
const management = new SandboxManagement();

/** The units of a UTC day, once they cannot change any more. */
async function unitsOf(projectId: string, day: string): Promise<number> {
  const [since, until] = [0, DAY_MS].map((laterMs) => new Date(Date.parse(day) + laterMs).toISOString());
  // A large day is summed in several requests, and closed by the one after.
  for (let looks = 0; looks < 2;) {
    const { closed, complete, total } = await management.usage.get(projectId, { by: 'key', since, until });
    if (closed) return total.units;
    if (complete) looks++;
  }
  throw new Error(`${day} is not closed yet: run this again an hour after its end.`);
}

/** Whether the meter has it only now. A lost answer, a 429 and a 5xx are tried again: under its id it counts once. */
async function feed(event: { id: string; units: number }): Promise<boolean> {
  for (let attempt = 1; ; attempt++) {
    const answer = await fetch(METER_URL, {
      method: 'POST',
      redirect: 'error', // It would take the token to another address.
      headers: { Authorization: `Bearer ${METER_TOKEN}`, 'Content-Type': 'application/json' },
      body: JSON.stringify(event),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    }).catch((error: unknown) => {
      if (attempt === ATTEMPTS) throw error;
    });
    if (answer?.ok || answer?.status === 409) return answer.ok;
    const isFinal = answer && answer.status !== 429 && answer.status < 500;
    if (isFinal || attempt === ATTEMPTS) throw new Error(`The meter answers ${answer?.status}.`);
    await new Promise((resolve) => setTimeout(resolve, 2 ** attempt * 100));
  }
}

const lastDays = [3, 2, 1].map((ago) => new Date(Date.now() - ago * DAY_MS).toISOString().slice(0, 10));
const given = process.argv.slice(2);
for await (const { projectId } of management.projects.list()) {
  for (const day of given.length > 0 ? given : lastDays) {
    const event = { id: `${projectId}:${day}`, projectId, day, units: await unitsOf(projectId, day) };
    const isNew = await feed(event);
    console.log(`${event.id}: ${event.units} units${isNew ? '' : ', which the meter has already'}`);
  }
}
