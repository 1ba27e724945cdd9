/**
 * Makes a key for CI, prints units by key, ends the key. The token and the address come from the environment:
 * `SANDBOX_MANAGEMENT_TOKEN=svc_mgmt_… node manage.ts`.
 */
import { SandboxManagement } from 'sandbox-gateway/management';

const { SANDBOX_MANAGEMENT_BASE_URL: baseURL = 'http://localhost:5173/manage/v1' } = process.env;
const management = new SandboxManagement({ baseURL });

const [project] = await Array.fromAsync(management.projects.list());
if (project === undefined) throw new Error('The token may use no project.');
const { projectId } = project;
// Where an answer is lost, it is asked for again under the same Idempotency-Key: one key, with a secret that works.
const made = await management.keys.create(projectId, { name: 'CI', expiresInDays: 1 });
console.log(`${made.keyId} is made: give made.key to the job, and print it nowhere.`);
const { keys = [], others } = await management.usage.get(projectId, { by: 'key' });
for (const { name, units } of keys) console.log(`${name ?? 'a key without a name'}: ${units} units`);
if (others && others.keys > 0) console.log(`${others.keys} more keys: ${others.units} units`);
const { status } = await management.keys.revoke(projectId, made.keyId);
console.log(`${made.keyId} is ${status}.`);
