/**
 * What the probe does in a run, on CloudWatch Synthetics: health checks, and pings with a key of its own. It fails when
 * anything else than 200 came back. The step `our-answers` fails only when the gateway itself gave a wrong answer: a
 * request that never reached it, refused for the rate or for want of room, says nothing of its version.
 */
const { SecretsManagerClient, GetSecretValueCommand } = require('@aws-sdk/client-secrets-manager');
const { synthetics } = require('@aws/synthetics-core');

const { API_URL, HEALTH_PATH, PING_PATH, ROUNDS, KEY_SECRET_ARN, REQUEST_ID_HEADER, STEP } = process.env;
const TIMEOUT_MS = 6_000;

exports.handler = async () => {
  const ping = KEY_SECRET_ARN && {
    headers: { authorization: `Bearer ${await readKey()}`, 'content-type': 'application/json' },
    body: '{}',
  };
  const answers = [];
  for (let round = 0; round < Number(ROUNDS); round += 1) {
    answers.push(await call('GET', HEALTH_PATH));
    if (ping) answers.push(await call('POST', PING_PATH, ping));
    // To wait for each of the others would take longer than a run may.
    if (answers.some(({ status }) => status === 0)) break;
  }
  const failed = answers.filter(({ status }) => status !== 200);
  const wrong = failed.filter(({ isOurs }) => isOurs);
  await synthetics
    .executeStep(STEP, () => {
      if (wrong.length > 0) throw new Error(textOf(wrong));
      return Promise.resolve();
    })
    .catch(() => undefined);
  if (failed.length > 0) throw new Error(`${failed.length} of ${answers.length} failed. ${textOf(failed)}`);
};

/** One request: its status (0: no answer), and whether the gateway's own function gave the answer. */
async function call(method, path, init) {
  try {
    const response = await fetch(API_URL + path, { method, signal: AbortSignal.timeout(TIMEOUT_MS), ...init });
    await response.arrayBuffer();
    const requestId = response.headers.get(REQUEST_ID_HEADER);
    return {
      what: `${method} ${path}: ${response.status}, ${requestId}`,
      status: response.status,
      isOurs: requestId !== null,
    };
  } catch (error) {
    return { what: `${method} ${path}: ${error}`, status: 0, isOurs: false };
  }
}

async function readKey() {
  const { SecretString } = await new SecretsManagerClient().send(
    new GetSecretValueCommand({ SecretId: KEY_SECRET_ARN }),
  );
  return SecretString.trim();
}

const textOf = (answers) => answers.map(({ what }) => what).join('; ');
