/** Makes a key for CI, prints units by key, ends the key: `SANDBOX_MANAGEMENT_TOKEN=svc_mgmt_… node manage.ts`. */
const { SANDBOX_MANAGEMENT_TOKEN = '', SANDBOX_MANAGEMENT_BASE_URL = 'http://localhost:5173/manage/v1' } = process.env;
if (!/^(https:\/\/|http:\/\/(localhost|127\.0\.0\.1)(:\d+)?(\/|$))/.test(SANDBOX_MANAGEMENT_BASE_URL)) {
  throw new Error('SANDBOX_MANAGEMENT_BASE_URL must begin with https://, so that nobody on the way reads the token.');
}

async function manage<T>(method: string, path: string, body?: object): Promise<T> {
  const headers = { Authorization: `Bearer ${SANDBOX_MANAGEMENT_TOKEN}`, 'Content-Type': 'application/json' };
  const answer = await fetch(`${SANDBOX_MANAGEMENT_BASE_URL}${path}`, {
    method,
    redirect: 'manual', // It would take what is sent to another address.
    headers: method === 'POST' ? { ...headers, 'Idempotency-Key': crypto.randomUUID() } : headers,
    ...(body && { body: JSON.stringify(body) }),
  });
  if (answer.status >= 300 && answer.status < 400) {
    throw new Error('SANDBOX_MANAGEMENT_BASE_URL is not the address of the API: it answers with a redirect.');
  }
  const read = (await answer.json()) as T & { code: string; detail: string };
  if (!answer.ok) throw new Error(`${read.code}: ${read.detail}`);
  return read;
}

const { projects } = await manage<{ projects: { projectId: string }[] }>('GET', '/projects');
const project = `/projects/${projects[0]?.projectId}`;
const made = await manage<{ keyId: string; key: string }>('POST', `${project}/keys`, { name: 'CI', expiresInDays: 1 });
console.log(`${made.keyId} is made: give made.key to the job, and print it nowhere.`);
interface ByKey {
  keys: { name: string | null; units: number }[];
  others: { keys: number; units: number };
}
const { keys, others } = await manage<ByKey>('GET', `${project}/usage?by=key`);
for (const { name, units } of keys) console.log(`${name ?? 'a key without a name'}: ${units} units`);
if (others.keys > 0) console.log(`${others.keys} more keys: ${others.units} units`);
const { status } = await manage<{ status: string }>('POST', `${project}/keys/${made.keyId}/revoke`, {});
console.log(`${made.keyId} is ${status}.`);
