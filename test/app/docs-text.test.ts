import { beforeAll, describe, expect, test } from '@jest/globals';
import { ERROR_DOCS_PATH } from '../../functions/shared/names.ts';
import { GUIDE_NAMES } from '../../portal/build/guides.ts';
import { docsTexts } from '../../portal/build/docs-text.ts';
import { CONTRACT } from '../../portal/gateway/contract.ts';
import { ERRORS } from '../../portal/gateway/errors.ts';
import { SAMPLES } from '../../portal/docs/samples.ts';
import { pages } from '../../portal/routes.ts';

let texts: ReadonlyMap<string, string>;
beforeAll(async () => {
  texts = await docsTexts();
});

const all = (): string => [...texts.values()].join('\n');
const textOf = (path: string): string => texts.get(path) ?? '';

test('the page that a problem of the gateway leads to is the portal’s page on its code', () => {
  for (const { code } of ERRORS) expect(`${ERROR_DOCS_PATH}#${code}`).toBe(pages.error(code));
});

describe('the documentation as text', () => {
  test('has every page, each with its title first, and llms.txt names each with what it is about', () => {
    const paths = GUIDE_NAMES.map((name) => `/docs/${name}.md`);
    expect([...texts.keys()]).toEqual([...paths, '/llms.txt']);
    for (const path of paths) {
      const [, title = '', about = ''] = /^# (\S.*)\n\n(\S.*)\n/.exec(textOf(path)) ?? [];
      expect(textOf('/llms.txt')).toContain(`- [${title}](${path}): ${about}\n`);
    }
    expect(textOf('/llms.txt')).toMatch(/^# .+\n\n> .+\n\n.+\n\n## /);
    expect(textOf('/llms.txt')).toContain('](/openapi.yaml)');
  });

  test('says of every code what it means and what to do, and of every operation what it answers', () => {
    const words = (text: string): string => text.replaceAll(/[\\`*]/g, '');
    const errors = words(textOf('/docs/errors.md'));
    for (const { code, status, title, meaning, todo, detail } of ERRORS) {
      const section = [`## ${code} ${status} ${title}`, meaning, `What to do: ${todo}`, `Its detail: ${detail}`];
      expect(errors).toContain(section.map(words).join('\n\n'));
    }
    const reference = words(textOf('/docs/reference.md'));
    for (const { method, path, summary, answers } of CONTRACT.operations) {
      const [, section = ''] = reference.split(`## ${method} ${path} ${words(summary)}\n`);
      for (const name of answers) expect(section).toContain(`- ${CONTRACT.answers[name]?.status}`);
    }
  });

  test('has the code that the portal shows elsewhere as it is there, in its language', () => {
    // The documentation does not include what is shown with a new key.
    const shown = SAMPLES.filter(({ text }) => !/<<'EOF'|\nread -rs/.test(text));
    expect(shown.length).toBe(10);
    for (const { language, text } of shown) expect(all()).toContain(`\n\`\`\`${language}\n${text.trim()}\n\`\`\`\n`);
  });

  test('leads only to what is there, and holds nothing that is for a browser alone', () => {
    const links = [...all().matchAll(/\]\((?!https:)([^)]*)\)/g)].map(([, address = '']) => address.replace(/#.*/, ''));
    const known = new Set([...texts.keys(), '/openapi.yaml', '/manage.yaml', '/clients/index.json', '/']);
    expect(links.filter((address) => !known.has(address) && !address.startsWith('/api/sign-in?'))).toEqual([]);
    expect(links.length).toBeGreaterThan(10);
    const prose = all()
      .replaceAll(/```.*?```/gs, '')
      .replaceAll(/`[^`\n]*`/g, '');
    expect(prose).not.toMatch(/<\/?(?!API)[a-z]|\bCopy\b|undefined|\[object/i);
  });
});
