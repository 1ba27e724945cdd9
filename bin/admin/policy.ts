import { Command, Option } from 'commander';
import { stackNameOf, STACK_OUTPUTS, type Stage } from '../../lib/stack-names.ts';
import { paragraphs } from '../cli/command-line.ts';
import { policyFor, PURPOSES, type Purpose } from './policy-statements.ts';
import { examples } from './session.ts';
import type { Shell } from '../cli/shell.ts';
import { readStage as readDeployedStage } from './aws.ts';
import { readStage } from './values.ts';

const HELP = `
cli: the calls of this CLI's commands on a deployed stage. restore: the further calls of npm run restore. It prints only
JSON, and itself needs the permission cloudformation:DescribeStacks.`;

/** `admin policy …`: prints an IAM policy, and changes nothing. */
export function policyCommand(shell: Shell): Command {
  const command = new Command('policy')
    .description('print the minimal IAM policy of an operator of a deployed stage')
    .requiredOption('--stage <name>', 'the stage', readStage)
    .addOption(new Option('--for <what>', 'the task of the operator').choices(PURPOSES).default('cli'));
  examples(command, 'policy --stage prod', 'policy --stage prod --for restore');
  return command
    .addHelpText('after', paragraphs(HELP))
    .action(async ({ stage, for: purpose }: { stage: Stage; for: Purpose }) => {
      const { output, ...place } = await readDeployedStage(stage);
      const policy = policyFor(purpose, {
        ...place,
        stage,
        stackName: stackNameOf(stage),
        keyTagSecretArn: output(STACK_OUTPUTS.keyTagSecretArn),
        tables: { gateway: output(STACK_OUTPUTS.gatewayTableName), usage: output(STACK_OUTPUTS.usageTableName) },
      });
      shell.stdout.write(`${JSON.stringify(policy, null, 2)}\n`);
    });
}
