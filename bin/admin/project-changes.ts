import { Command } from 'commander';
import { periodAt } from '../../functions/core/period.ts';
import {
  readProject,
  readQuotaUsed,
  resumeProject,
  suspendProject,
  updateProject,
} from '../../functions/accounts/projects.ts';
import type { StoredProject } from '../../functions/accounts/projects.ts';
import { examples, requireOneOf, runs, runsConfirmed, type Outcome } from './session.ts';
import { facts } from './text.ts';
import { readId, readName, readQuota } from './values.ts';
import type { Shell } from './shell.ts';

interface ProjectOptions {
  readonly project: string;
}

/** `admin project show` */
export function show(shell: Shell): Command {
  const command = aboutProject('show', 'show a project, with its quota and what of it is used in the current period');
  examples(command, 'project show --project … --local');
  return runs(command, shell, async (plane, { quotaPeriod }) => {
    const period = periodAt(plane.clock.now(), quotaPeriod());
    const project = publicView(await readProject(plane, command.opts<ProjectOptions>().project));
    const quotaUsed = await readQuotaUsed(plane, project.projectId, period.id);
    const json = { ...project, period: period.id, quotaUsed };
    return { json, text: facts({ ...json, quotaLimit: json.quotaLimit ?? 'none' }) };
  });
}

/** `admin project update` */
export function update(shell: Shell): Command {
  const command = aboutProject('update', 'change the name of a project, its quota or both, from its next request on')
    .option('--name <name>', 'its new name', readName)
    .option('--quota <units|none>', 'request units per period, 0 to 10⁹, or none that is enforced', readQuota);
  requireOneOf(command, 'name', 'quota');
  examples(
    command,
    'project update --project … --quota 50000 --stage prod',
    'project update --project … --quota none --local',
  );
  return runs(command, shell, async (plane) => {
    const { project, ...changes } = command.opts<ProjectOptions & { name?: string; quota?: number | 'none' }>();
    return changed(await updateProject(plane, project, changes));
  });
}

/** `admin project suspend` */
export function suspend(shell: Shell): Command {
  const command = aboutProject('suspend', "refuse a project's requests (403 PROJECT_SUSPENDED) from the next one on");
  examples(command, 'project suspend --project … --stage prod', 'project suspend --project … --yes --local');
  const question = () => `Suspend project ${command.opts<ProjectOptions>().project}? Its requests are refused at once.`;
  return runsConfirmed(command, shell, question, async (plane) =>
    changed(await suspendProject(plane, command.opts<ProjectOptions>().project)),
  );
}

/** `admin project resume` */
export function resume(shell: Shell): Command {
  const command = aboutProject(
    'resume',
    "end a suspension: a project's requests are served again from the next one on",
  );
  examples(command, 'project resume --project … --stage prod');
  return runs(command, shell, async (plane) =>
    changed(await resumeProject(plane, command.opts<ProjectOptions>().project)),
  );
}

const aboutProject = (name: string, description: string): Command =>
  new Command(name).description(description).requiredOption('--project <id>', 'the project', readId);

function changed(project: StoredProject): Outcome {
  const json = publicView(project);
  return { json, text: facts({ ...json, quotaLimit: json.quotaLimit ?? 'none' }) };
}

/** What is shown of a project; `quotaLimit` null: not enforced. */
export const publicView = ({ projectId, name, accountId, status, quotaLimit, createdAt }: StoredProject) => ({
  ...{ projectId, name, accountId, status },
  quotaLimit: quotaLimit ?? null,
  createdAt,
});
