import { beforeAll, expect } from '@jest/globals';
import { asGateway, bytesOf, rawServer, type Step } from '../../support/clients/raw-server.ts';
import { signedIn, type Site } from '../../support/portal-site.ts';
import { completed, runCommand } from '../../support/processes.ts';
import { PYTHON_PROGRAM, testInPython, WITH_LIBRARY } from '../../support/python.ts';
import { shared } from '../../support/shared/client.ts';

/** The management client of the Python library, with the real portal behind a network that breaks. */
let site: Site;
let projectId: string;
let token: string;
beforeAll(async () => {
  site = await shared<Site>('portal');
  const { create, newProject } = await signedIn(site, 'pythonist@example.com');
  const { account, project } = await newProject();
  projectId = project.split('/').at(-1) ?? '';
  const scopes = ['keys:read', 'keys:write', 'usage:read'];
  ({ token = '' } = await create(`${account}/tokens`, { name: 'CI', scopes, expiresInDays: 1 }));
});

const HEAD = `
import json, os, time
from datetime import datetime, timedelta, timezone
from sandbox_gateway import SandboxGateway, SandboxGatewayError
from sandbox_gateway.management import SandboxManagement
from sandbox_gateway.testing import charges

time.sleep = lambda seconds: None
management = SandboxManagement()
project_id = os.environ["PROJECT"]
`;
/** What a program with the management client prints as JSON. */
async function told(program: string, origin: string): Promise<unknown> {
  const variables = {
    ...WITH_LIBRARY,
    ...{ SANDBOX_MANAGEMENT_TOKEN: token, SANDBOX_MANAGEMENT_BASE_URL: `${origin}/manage/v1`, PROJECT: projectId },
    SANDBOX_GATEWAY_BASE_URL: site.url,
  };
  const { status, stdout, stderr } = await completed(runCommand(PYTHON_PROGRAM, ['-c', HEAD + program], variables));
  expect([status, stderr]).toEqual([0, '']);
  return JSON.parse(stdout);
}

const lost: Step = {
  run: async (wire) => {
    await wire.gateway();
    wire.reset();
  },
};
const cutOff: Step = {
  run: async (wire) => {
    await wire.write(bytesOf(await wire.gateway()).subarray(0, -20));
    wire.end();
  },
};

testInPython(
  'of a creation and a rotation whose answers are lost there is one key each, whose secret works',
  async () => {
    const server = await rawServer(site.portalUrl, [lost, cutOff, asGateway, cutOff, lost, asGateway]);
    const program = `
made = management.keys.create(project_id, name="CI")
again = management.keys.rotate(project_id, made.key_id, grace_hours=1)
ids = [key.key_id for key in management.keys.list(project_id, limit=1)]
assert made.key not in repr(made), "A secret is shown."
works = [SandboxGateway(api_key=each.key).ping().data.ok for each in (made, again)]
print(json.dumps([works, sorted(ids) == sorted([made.key_id, again.key_id])]))`;
    try {
      expect(await told(program, `http://127.0.0.1:${server.port}`)).toEqual([[true, true], true]);
    } finally {
      await server.close();
    }
    const [creation, , , rotation] = server.attempts;
    const expected = [creation, creation, creation, rotation, rotation, rotation];
    expect(server.attempts.slice(0, 6)).toEqual(expected);
  },
);

testInPython('what a program does with a key is told: units, requests and their causes', async () => {
  const program = `
made = management.keys.create(project_id, name="Job", expires_in_hours=1, units_limit=2)
gateway = SandboxGateway(api_key=made.key)
answer = gateway.ping("job-7")
gateway.ping("job-7", idempotency_key=answer.idempotency_key)
try:
    gateway.ping("job-7", simulate="QUOTA_EXCEEDED")
except SandboxGatewayError as error:
    refused = error.code
told = vars(charges(management, project_id, "job-7"))
details = management.requests.get(answer.request_id)
since = datetime.now(timezone.utc) - timedelta(days=1)
while not (usage := management.usage.get(project_id, by="key", since=since)).complete:
    pass
units = [key.units for key in usage.keys if key.key_id == made.key_id]
paused = management.keys.update(project_id, made.key_id, paused=True, units_limit=None)
ended = management.with_response(management.keys.revoke, project_id, made.key_id)
try:
    management.keys.rotate(project_id, made.key_id)
except SandboxGatewayError as error:
    late = [error.status, error.code]
print(json.dumps({
    "refused": refused, "charges": told, "request": [details.units, details.client_request_id, details.key_id == made.key_id],
    "usage": [usage.complete, units], "paused": [paused.paused, paused.units_limit],
    "ended": [ended.status, ended.result.status, str(ended.result.expires_at.tzinfo)], "late": late,
    "projects": [project.project_id for project in management.projects.list()],
    "names": [request.code for request in management.requests.list(project_id, client_request_id="job-7", limit=1)],
}))`;
  expect(await told(program, site.portalUrl)).toEqual({
    refused: 'QUOTA_EXCEEDED',
    charges: { charged: 1, replayed: 1, refused: 1 },
    request: [1, 'job-7', true],
    usage: [true, [1]],
    paused: [true, null],
    ended: [200, 'revoked', 'UTC'],
    late: [409, 'KEY_NOT_ACTIVE'],
    projects: [projectId],
    names: ['QUOTA_EXCEEDED', null, null],
  });
});
