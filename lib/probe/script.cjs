/**
 * What the probe does in a run, on CloudWatch Synthetics: health checks, and pings with a key of its own, then the
 * portal's page, where the stage has one. The run fails when anything is not as it must be; whose fault it is its steps
 * say. The first, `our-answers`, fails only when the gateway itself gave a wrong answer: a request that never reached
 * it, refused for the rate or for want of room, says nothing of its version.
 */
const { SecretsManagerClient, GetSecretValueCommand } = require('@aws-sdk/client-secrets-manager');
const { synthetics } = require('@aws/synthetics-core');

const { API_URL, HEALTH_PATH, PING_PATH, ROUNDS, KEY_SECRET_ARN, REQUEST_ID_HEADER } = process.env;
const { PORTAL_ORIGIN, OUR_ANSWERS_STEP, EVERY_ANSWER_STEP, PORTAL_STEP } = process.env;
const TIMEOUT_MS = 6_000;

exports.handler = async () => {
  const ping = KEY_SECRET_ARN && {
    headers: { authorization: `Bearer ${await readKey()}`, 'content-type': 'application/json' },
    body: '{}',
  };
  const answers = [];
  for (let round = 0; round < Number(ROUNDS); round += 1) {
    answers.push(await call('GET', API_URL, HEALTH_PATH));
    if (ping) answers.push(await call('POST', API_URL, PING_PATH, ping));
    // To wait for each of the others would take longer than a run may.
    if (answers.some(({ status }) => status === 0)) break;
  }
  const failed = answers.filter(({ status }) => status !== 200);
  await step(
    OUR_ANSWERS_STEP,
    failed.filter(({ isOurs }) => isOurs),
  );
  await step(EVERY_ANSWER_STEP, failed);
  const ofPortal = PORTAL_ORIGIN ? await portalFaults() : [];
  if (PORTAL_ORIGIN) await step(PORTAL_STEP, ofPortal);
  if (failed.length > 0)
    throw new Error(`${failed.length} of ${answers.length} failed. ${textOf([...failed, ...ofPortal])}`);
  if (ofPortal.length > 0) throw new Error(`The portal failed. ${textOf(ofPortal)}`);
};

/** Reports one step, which fails when there are faults; the run goes on. */
const step = (name, faults) =>
  synthetics
    .executeStep(name, () => {
      if (faults.length > 0) throw new Error(textOf(faults));
      return Promise.resolve();
    })
    .catch(() => undefined);

/** What is wrong with what a browser first asks the portal for: its page, each file that it names, and who is signed in. */
async function portalFaults() {
  const page = await call('GET', PORTAL_ORIGIN, '/');
  const paths = [...new Set(page.text.match(/\/assets\/[\w.-]+/g))];
  const files = await Promise.all(paths.map((path) => call('GET', PORTAL_ORIGIN, path)));
  const session = await call('GET', PORTAL_ORIGIN, '/api/session');
  return [
    ...[page, ...files].filter(({ status }) => status !== 200),
    // A page of somebody else, where the domain or the bucket is not the portal's any more.
    ...(page.status === 200 && paths.length === 0 ? [{ what: `${page.what}, no file of the app` }] : []),
    // Nobody is signed in, and the function itself says so.
    ...(session.status === 401 && session.isOurs ? [] : [session]),
  ];
}

/** One request: its status (0: no answer), its text, and whether a function of ours gave the answer. */
async function call(method, origin, path, init) {
  try {
    const response = await fetch(origin + path, { method, signal: AbortSignal.timeout(TIMEOUT_MS), ...init });
    const text = await response.text();
    const requestId = response.headers.get(REQUEST_ID_HEADER);
    return {
      what: `${method} ${path}: ${response.status}${requestId === null ? '' : `, ${requestId}`}`,
      status: response.status,
      text,
      isOurs: requestId !== null,
    };
  } catch (error) {
    return { what: `${method} ${path}: ${error}`, status: 0, text: '', isOurs: false };
  }
}

async function readKey() {
  const { SecretString } = await new SecretsManagerClient().send(
    new GetSecretValueCommand({ SecretId: KEY_SECRET_ARN }),
  );
  return SecretString.trim();
}

const textOf = (answers) => answers.map(({ what }) => what).join('; ');
