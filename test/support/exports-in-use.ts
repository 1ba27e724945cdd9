import { writeFileSync } from 'node:fs';
import { STAGES, synthesise, type SynthesisedStage } from './stack.ts';

/** Every export of a stage that another of its stacks imports, and the part that has it. */
export const exportsInUse = (stage: SynthesisedStage) =>
  stage.parts.flatMap((part) =>
    Object.values(stage[part].Outputs ?? {}).flatMap(({ Value, Export }) =>
      Export !== undefined && JSON.stringify(stage).includes(`{"Fn::ImportValue":"${Export.Name}"}`)
        ? [{ part, name: Export.Name, value: Value }]
        : [],
    ),
  );

/** At a release: keeps what its stacks import from each other for the tests of the next one. */
if (import.meta.main) {
  const { domain, full } = await synthesise({ domain: STAGES.domain, full: STAGES.full });
  const released = { domain: exportsInUse(domain), full: exportsInUse(full) };
  writeFileSync('test/infra/released-exports.json', `${JSON.stringify(released, null, 2)}\n`);
}
