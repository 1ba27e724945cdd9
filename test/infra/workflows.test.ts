import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';

const FOLDER = '.github/workflows';

test.each(readdirSync(FOLDER))(
  '%s: each action is named by its commit, which nobody can move, and runs with few rights',
  (file) => {
    const text = readFileSync(`${FOLDER}/${file}`, 'utf8');
    const actions = [...text.matchAll(/uses: (.*)$/gm)].map(([, action]) => action);
    expect(actions.length).toBeGreaterThan(0);
    for (const action of actions) expect(action).toMatch(/^[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
    expect(text).toMatch(/^permissions:\n {2}contents: read\n[^ ]/m);
  },
);
