import { PING_PATH } from '../../functions/operations/ping.ts';
import { STACK_OUTPUTS } from '../../functions/wiring.ts';
import { forward } from './forward.ts';
import { programsOf, STAGE } from './programs.ts';
import { restored } from './restore.ts';
import type { Run } from './run.ts';
import { ProgramFailed, Skipped, type Step } from './sequence.ts';
import type { Places } from './stage.ts';

/** The settings of a rehearsal. */
export interface Rehearsal {
  /** Instead of AWS; undefined: AWS itself. */
  readonly endpoint: string | undefined;
  /** The portal's address; undefined: its output. */
  readonly portalUrl: string | undefined;
  /** Whether the stage stays at the end. */
  readonly keep: boolean;
  /** Whether there are stacks of an earlier rehearsal. */
  readonly hasLeftovers: boolean;
}

/** The tools of a rehearsal. */
export interface Tools {
  readonly run: Run;
  readonly places: Places;
  readonly now: () => number;
  readonly sleep: (ms: number) => Promise<unknown>;
}

const REDO = 'npm run rehearse starts again, and first deletes what is left.';
const LOG = 'The output MeteredLogGroup names the log of the function; docs/operating.md, "Runbook".';
const policyFor = (purpose: string): string =>
  `npm run admin -- policy --stage dev --for ${purpose} prints what it needs.`;

/** The steps of a rehearsal, in order, and the work after the last. */
export function stepsOf(rehearsal: Rehearsal, tools: Tools): { readonly steps: Step[]; readonly close: () => void } {
  const { endpoint, portalUrl, keep, hasLeftovers } = rehearsal;
  const { places, now, sleep } = tools;
  const { cdk, deploy, admin, rollback, liveVersion, smoke, ran } = programsOf(tools.run, endpoint);
  let gateway = { url: '', close: (): void => undefined };
  let [projectId, key] = ['', ''];
  /** From this time on there was something to restore. */
  let usedAtMs = 0;

  const step = (name: string, needs: string[], next: string, work: Step['work']): Step => ({ name, needs, next, work });
  const ping = async (): Promise<string> => {
    const response = await fetch(gateway.url + PING_PATH, {
      method: 'POST',
      headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
      body: '{}',
    });
    if (response.status !== 200) throw new ProgramFailed(`status ${response.status}`, await response.text());
    await admin('ledger', 'verify', '--project', projectId);
    return '200, and the ledger agrees';
  };
  const smokeAfter = (name: string, need: string): Step =>
    step(name, ['ping', need], `FAIL names a promise of docs/using-the-api.md. ${LOG}`, () =>
      smoke([gateway.url], key),
    );
  const live = async (): Promise<string> => `version ${await liveVersion()} is live`;

  const steps = [
    step('clean up', [], `What CloudFormation is still at must come to its end. ${REDO}`, async () => {
      await cdk('destroy', ...STAGE, '--all', '--force');
      return 'what an earlier rehearsal left';
    }),
    step(
      'bootstrap',
      hasLeftovers ? ['clean up'] : [],
      'Let an administrator of the account run npx cdk bootstrap: it makes roles and a bucket.',
      async () => {
        if (await places.isBootstrapped()) return 'there already';
        await cdk('bootstrap');
        return 'made';
      },
    ),
    step('deploy', ['bootstrap'], `docs/operating.md, "A creation that failed". ${REDO}`, async () => {
      await deploy('first');
      const url = await places.output(STACK_OUTPUTS.apiUrl);
      gateway = endpoint === undefined ? { ...gateway, url } : await forward(endpoint, url);
      return url;
    }),
    step('account to key', ['deploy'], policyFor('cli'), async () => {
      const [name, email] = ['Rehearsal', 'rehearsal@example.com'];
      const { accountId } = await admin('account', 'create', '--name', name, '--email', email);
      const project = await admin('project', 'create', '--account', String(accountId), '--name', name);
      projectId = String(project.projectId);
      key = String((await admin('key', 'create', '--project', projectId, '--mode', 'test', '--name', name)).key);
      return `project ${projectId}`;
    }),
    step('ping', ['account to key'], LOG, ping),
    smokeAfter('smoke', 'deploy'),
    step('portal', ['deploy'], 'docs/operating-the-portal.md, "What only a first deployment confirms".', async () => {
      if (portalUrl === undefined && endpoint !== undefined) {
        throw new Skipped('an endpoint need not serve pages; --portal-url says where it does');
      }
      return smoke(['--portal', portalUrl ?? (await places.portalUrl())]);
    }),
    step('deploy a change', ['deploy'], `CodeDeploy says in its console why it moves no alias. ${REDO}`, async () => {
      usedAtMs = now();
      await deploy('second');
      return live();
    }),
    smokeAfter('smoke of the change', 'deploy a change'),
    step('rollback --list', ['deploy a change'], policyFor('rollback'), live),
    step('rollback', ['rollback --list'], policyFor('rollback'), async () => {
      await rollback('--yes');
      return live();
    }),
    step('deploy again', ['rollback'], `docs/operating.md, "Roll back". ${REDO}`, async () => {
      await deploy('third');
      return live();
    }),
    smokeAfter('smoke after that', 'deploy again'),
    step(
      'restore',
      ['smoke after that'],
      'npm run restore -- --stage dev --to … --give-up ends it; docs/operating.md, "Restore".',
      () =>
        restored(
          usedAtMs,
          { ran, ping, places, sleep, deploy: (...settings) => deploy('third', ...settings) },
          endpoint,
        ),
    ),
    step(
      'destroy',
      ['bootstrap'],
      'npx cdk destroy --all -c stage=dev -c portal=on; docs/operating.md, "Delete a stage".',
      async () => {
        if (keep) throw new Skipped('--keep');
        const kept = await places.kept();
        await cdk('destroy', ...STAGE, '--all', '--force');
        return `what stays: ${kept.join(', ') || 'nothing'}`;
      },
    ),
  ];
  return { steps: hasLeftovers ? steps : steps.slice(1), close: () => gateway.close() };
}
