import { isDeepStrictEqual } from 'node:util';
import { loadAwsServiceSpecSync } from '@aws-cdk/aws-service-spec';
import { expect, test } from '@jest/globals';
import { exportsInUse } from '../support/exports-in-use.ts';
import { stages, type Part, type StackTemplate, type SynthesisedStage } from '../support/stack.ts';
import released from './released-exports.json' with { type: 'json' };

const named = await stages();
const all = Object.entries(named);
const database = loadAwsServiceSpecSync();

const exported = ({ Outputs = {} }: StackTemplate, name: string): unknown =>
  Object.values(Outputs).find(({ Export }) => Export?.Name === name)?.Value;

/** Whether CloudFormation makes a resource anew, or ends it. */
function isReplaced(id: string, before: StackTemplate, after: StackTemplate): boolean {
  const [was, is] = [before.Resources[id], after.Resources[id]];
  if (was === undefined || was.Type !== is?.Type) return true;
  const [spec] = database.lookup('resource', 'cloudFormationType', 'equals', was.Type);
  if (spec === undefined) throw new Error(`AWS describes no ${was.Type}`);
  const [old, next] = [was, is].map(({ Properties }) => Properties as Record<string, unknown>);
  return Object.entries(spec.properties).some(
    ([name, { causesReplacement }]) => causesReplacement === 'yes' && !isDeepStrictEqual(old?.[name], next?.[name]),
  );
}

/** The exports in use that an update changes or ends, which CloudFormation refuses. A stack left out stays as it is. */
const refused = (before: SynthesisedStage, after: SynthesisedStage): string[] =>
  exportsInUse(before).flatMap(({ part, name, value }) => {
    if (!after.parts.includes(part)) return [];
    const ids = [...JSON.stringify(value).matchAll(/"(?:Ref|Fn::GetAtt)":\[?"(\w+)"/g)].map(([, id = '']) => id);
    const isSame =
      isDeepStrictEqual(value, exported(after[part], name)) &&
      !ids.some((id) => isReplaced(id, before[part], after[part]));
    return isSame ? [] : [name];
  });

test('a live stage can change each of its settings, since no export in use changes or ends', () => {
  const pairs = all.flatMap(([from, before]) =>
    all.flatMap(([to, after]) =>
      from !== to && before.names.data === after.names.data && refused(before, after).length > 0
        ? [`${from} → ${to}: ${refused(before, after).join(', ')}`]
        : [],
    ),
  );
  expect(pairs).toEqual([]);
});

test('each export that the last release imports is there as it was, since its stacks are updated one by one', () => {
  const { domain, full } = released;
  for (const [stage, exports] of [
    [named.domain, domain],
    [named.full, full],
  ] as const) {
    expect(exports.map(({ part, name }) => ({ part, name, value: exported(stage[part as Part], name) }))).toEqual(
      exports,
    );
  }
});
