import type { Answer, Body, GatewayContract, GatewayError, Member } from '../gateway/types.ts';
import { appModule, type Sample } from './app-modules.ts';
import { contractAddress, GUIDE_NAMES, guideText } from './guides.ts';

interface Contract {
  readonly errors: readonly GatewayError[];
  readonly contract: GatewayContract;
  readonly linesFor: (code: string, curl: string) => readonly Sample[];
  readonly install: Readonly<Record<'typescript' | 'python', string>>;
}

/**
 * The pages of the documentation as Markdown, and `llms.txt`, which lists them, by their paths. They have the sources
 * of the pages; what a page shows by a component is written here, from the same contract.
 */
export async function docsTexts(): Promise<ReadonlyMap<string, string>> {
  const contract = await contractOfGateway();
  const texts = GUIDE_NAMES.map((name) => [`/docs/${name}.md`, textOf(guideText(name), contract)] as const);
  return new Map([...texts, ['/llms.txt', llmsText(texts)]]);
}

async function contractOfGateway(): Promise<Contract> {
  const { ERRORS } = await appModule('gateway/errors');
  const { CONTRACT } = await appModule('gateway/contract');
  const { installTypescript, installPython, linesFor } = await appModule('docs/samples');
  const install = { typescript: installTypescript(), python: installPython() };
  return { errors: ERRORS, contract: CONTRACT, linesFor, install };
}

/** A source as it is served: with the portal's links, with a language alone at its code, and with all its parts. */
const textOf = (source: string, contract: Contract): string =>
  source
    .replaceAll(/\]\(([\w-]+\.md)/g, '](/docs/$1')
    .replaceAll(/\]\(([^)]+)\)/g, (_link, address: string) => `](${contractAddress(address)})`)
    .replaceAll(/^```(\w+) .*$/gm, '```$1')
    .replaceAll(/^<!-- ([\w-]+) -->$/gm, (_comment, name: string) => PARTS[name]?.(contract) ?? '');

/** What a page shows by a component, by the name of its place. */
const PARTS: Readonly<Record<string, (contract: Contract) => string>> = {
  errors: (contract) => contract.errors.map((error) => errorText(error, contract)).join('\n\n'),
  operations: ({ contract }) => operationsText(contract),
  'install-typescript': ({ install }) => code('bash', install.typescript),
  'install-python': ({ install }) => code('bash', install.python),
  'portal-limits': () => 'The page shows them to who is signed in.',
};

const code = (language: string, text: string): string => `\`\`\`${language}\n${text.trim()}\n\`\`\``;
const listOf = (items: readonly string[]): string => items.map((item) => `- ${item}`).join('\n');
const lines = (...parts: readonly (string | false | undefined)[]): string => parts.filter(Boolean).join('\n\n');

const errorText = (
  { code: name, status, title, meaning, todo, detail }: GatewayError,
  { contract: { makeThisHappen }, linesFor }: Contract,
): string =>
  lines(
    `## \`${name}\` ${status} ${title}`,
    meaning,
    `**What to do:** ${todo}`,
    `Its \`detail\`: ${detail}`,
    '**Make this happen:**',
    ...linesFor(name, makeThisHappen[name] ?? '').map(({ language, text }) => code(language, text)),
  );

function operationsText({ authentication, description, operations, problem, answers, unlisted }: GatewayContract) {
  const answersOf = (names: readonly string[]): Answer[] => names.flatMap((name) => answers[name] ?? []);
  return lines(
    `**Authentication.** \`Authorization: Bearer …\` ${authentication}`,
    ...description,
    ...operations.map((operation) =>
      lines(
        `## \`${operation.method} ${operation.path}\` ${operation.summary}`,
        `${operation.description} ${operation.scope === undefined ? 'Needs no key.' : `Needs a test key with the scope \`${operation.scope}\`.`}`.trim(),
        operation.parameters.length > 0 && lines('### Request headers', membersText(operation.parameters)),
        operation.body && lines('### Request body', bodyText(operation.body)),
        '### Answers',
        answersText(answersOf(operation.answers)),
      ),
    ),
    '## Body of refusals and failures',
    membersText(problem),
    '### Of what is no operation',
    answersText(answersOf(unlisted)),
  );
}

const membersText = (members: readonly Member[]): string =>
  listOf(
    members.map(
      ({ name, type, isRequired, description }) =>
        `\`${name}\` (${type}${isRequired ? '' : '; optional'}): ${description}`,
    ),
  );

const bodyText = ({ description, members, examples }: Body): string =>
  lines(description, membersText(members), ...examples.map(({ text }) => code('json', text)));

/** Answers, the bodies of those that are no refusals, and every header once. */
function answersText(answers: readonly Answer[]): string {
  const names = new Set(answers.flatMap(({ headers }) => Object.keys(headers)));
  const headerText = (name: string): string => {
    const having = answers.filter(({ headers }) => name in headers);
    return `\`${name}\`, with ${having.map(({ status }) => status).join(', ')}: ${having[0]?.headers[name] ?? ''}`;
  };
  return lines(
    listOf(
      answers.map(({ status, description, codes = [] }) =>
        [`${status}: ${description}`, codes.map((name) => `[${name}](/docs/errors.md#${name})`).join(', ')]
          .join(' ')
          .trim(),
      ),
    ),
    ...answers.map(({ status, body }) => body && lines(`### Body of a ${status}`, bodyText(body))),
    '### Headers of answers',
    listOf([...names].map(headerText)),
  );
}

/** The pages by their titles, each with the sentence below its title (https://llmstxt.org). */
function llmsText(texts: readonly (readonly [path: string, text: string])[]): string {
  const entries = texts.map(([path, text]) => {
    const [title = '', about = ''] = text.split('\n\n', 2);
    return `- [${title.replace(/^# /, '')}](${path}): ${about}`;
  });
  return [
    '# Sandbox Developer Gateway',
    '> A metered sandbox API: authenticated by key, limited by rate and quota, safe to repeat by Idempotency-Key.',
    'In code, `https://gateway.example` stands for the address of the gateway, and `https://portal.example` for that of the portal from which you have this text.',
    '## Documentation',
    entries.join('\n'),
    '## Libraries',
    '- [clients/index.json](/clients/index.json): the packages for TypeScript and Python, with their SHA-256',
    '## Contract',
    '- [openapi.yaml](/openapi.yaml): every operation, header and error code, in OpenAPI 3.1',
    '- [manage.yaml](/manage.yaml): the management API, for programs with a management token, in OpenAPI 3.1',
    '',
  ].join('\n\n');
}
