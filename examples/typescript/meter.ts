/**
 * Feeds a billing meter, once a day after 01:00 UTC: the units of each project and UTC day, under the id
 * `<projectId>:<day>`. It sends the last three days, or those that are given; what the meter has already it refuses with
 * 409, so a run may end anywhere and be repeated: `METER_URL=https://… node meter.ts [2026-11-21 …]`.
 */
const { SANDBOX_MANAGEMENT_TOKEN = '', SANDBOX_MANAGEMENT_BASE_URL = 'http://localhost:5173/manage/v1' } = process.env;
const { METER_URL = '', METER_TOKEN = '' } = process.env;
for (const [name, url] of Object.entries({ SANDBOX_MANAGEMENT_BASE_URL, METER_URL })) {
  if (!/^(https:\/\/|http:\/\/(localhost|127\.0\.0\.1)(:\d+)?(\/|$))/.test(url)) {
    throw new Error(`${name} must begin with https://, so that nobody on the way reads the token.`);
  }
}
const DAY_MS = 86_400_000;
const [ATTEMPTS, TIMEOUT_MS, LONGEST_WAIT_SECONDS] = [5, 10_000, 60];
const sleep = (seconds: number) => new Promise((resolve) => setTimeout(resolve, seconds * 1_000));

/** Sends until an answer is final: a lost one, a 429 and a 5xx are tried again. */
async function send(url: string, token: string, body?: object): Promise<Response> {
  for (let attempt = 1; ; attempt++) {
    const answer = await fetch(url, {
      redirect: 'error', // It would take the token to another address.
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
      signal: AbortSignal.timeout(TIMEOUT_MS),
      ...(body && { method: 'POST', body: JSON.stringify(body) }),
    }).catch((error: unknown) => {
      if (attempt === ATTEMPTS) throw error;
    });
    if (answer && (attempt === ATTEMPTS || (answer.status !== 429 && answer.status < 500))) return answer;
    const told = Number(answer?.headers.get('Retry-After') ?? NaN);
    await sleep(Math.min(told >= 0 ? told : 2 ** attempt / 10, LONGEST_WAIT_SECONDS));
  }
}

async function read<T>(path: string): Promise<T> {
  const answer = await send(SANDBOX_MANAGEMENT_BASE_URL + path, SANDBOX_MANAGEMENT_TOKEN);
  if (!answer.ok) throw new Error(`The gateway answers ${answer.status}.`);
  return (await answer.json()) as T;
}

async function projectIds(): Promise<string[]> {
  const ids: string[] = [];
  for (let cursor: string | null = ''; cursor !== null;) {
    const page: { projects: { projectId: string }[]; cursor: string | null } = await read(
      `/projects${cursor && `?cursor=${encodeURIComponent(cursor)}`}`,
    );
    ids.push(...page.projects.map(({ projectId }) => projectId));
    ({ cursor } = page);
  }
  return ids;
}

/** The units of a UTC day, once they cannot change any more. */
async function unitsOf(projectId: string, day: string): Promise<number> {
  const until = new Date(Date.parse(day) + DAY_MS).toISOString();
  // A large day is summed in several requests, and closed by the one after.
  for (let looks = 0; looks < 2;) {
    const usage = await read<{ complete: boolean; closed: boolean; total: { units: number } }>(
      `/projects/${projectId}/usage?by=key&since=${day}T00:00:00Z&until=${until}`,
    );
    if (usage.closed) return usage.total.units;
    if (usage.complete) looks++;
  }
  throw new Error(`${day} is not closed yet: run this again an hour after its end.`);
}

const lastDays = [3, 2, 1].map((ago) => new Date(Date.now() - ago * DAY_MS).toISOString().slice(0, 10));
const given = process.argv.slice(2);
const projects = await projectIds();
for (const day of given.length > 0 ? given : lastDays) {
  for (const projectId of projects) {
    const units = await unitsOf(projectId, day);
    const { status } = await send(METER_URL, METER_TOKEN, { id: `${projectId}:${day}`, projectId, day, units });
    if (status !== 409 && (status < 200 || status >= 300)) throw new Error(`The meter answers ${status}.`);
    console.log(`${projectId}:${day}: ${units} units${status === 409 ? ', which the meter has already' : ''}`);
  }
}
