import { Command } from 'commander';
import type { Environment } from '../../local/settings.ts';
import { exportCommand } from './usage-export.ts';
import { listCommand } from './usage-list.ts';
import { showCommand } from './usage-show.ts';
import { summaryCommand } from './usage-summary.ts';

/** `admin usage …` */
export const usageCommand = (environment: Environment): Command =>
  new Command('usage')
    .description('what requests did')
    .addCommand(listCommand(environment))
    .addCommand(summaryCommand(environment))
    .addCommand(exportCommand(environment))
    .addCommand(showCommand(environment));
