import { Command } from 'commander';
import { exportCommand } from './usage-export.ts';
import { listCommand } from './usage-list.ts';
import { showCommand } from './usage-show.ts';
import { summaryCommand } from './usage-summary.ts';
import type { Shell } from './shell.ts';

/** `admin usage …` */
export const usageCommand = (shell: Shell): Command =>
  new Command('usage')
    .description('what requests did')
    .addCommand(listCommand(shell))
    .addCommand(summaryCommand(shell))
    .addCommand(exportCommand(shell))
    .addCommand(showCommand(shell));
