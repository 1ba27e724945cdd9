import { RegionInfo } from 'aws-cdk-lib/region-info';
import { noticesStackNameOf, portalStackNameOf, stackNameOf, type Stage } from '../../../functions/wiring.ts';
import type { StackTemplate, SynthesisedStage } from '../stack.ts';
import { physicalValue, type Asked, type Place } from './physical.ts';

/** A resource with its properties as CloudFormation checks them: account, region and names are resolved. */
export interface ResolvedResource {
  readonly stackName: string;
  readonly id: string;
  readonly type: string;
  readonly properties: object;
}

/** An example account, the same as in the stages of tests. */
const ACCOUNT = '123456789012';

interface Stack {
  readonly template: StackTemplate;
  readonly place: Place;
  /** The exports of the stage's stacks, by name. */
  readonly exports: ReadonlyMap<string, () => unknown>;
}

/**
 * All resources of a stage, in this region unless its settings name another. Throws for a value that cannot be
 * resolved.
 */
export function resolvedResources(synthesised: SynthesisedStage, stage: Stage, region: string): ResolvedResource[] {
  const exports = new Map<string, () => unknown>();
  const names = {
    data: `${stackNameOf(stage)}-data`,
    gateway: stackNameOf(stage),
    portal: portalStackNameOf(stage),
    notices: noticesStackNameOf(stage),
    edge: `${stackNameOf(stage)}-edge`,
  };
  const stacks = Object.entries(names).flatMap(([part, stackName]) => {
    const template = synthesised[part as keyof typeof names];
    return template ? [{ template, stackName }] : [];
  });
  const placed = stacks.map(({ template, stackName }, index): Stack => {
    const [, own] = /^aws:\/\/\d+\/(.+)$/.exec(synthesised.places[index] ?? '') ?? [];
    return { template, exports, place: placeOf(stackName, own ?? region) };
  });
  for (const stack of placed) {
    for (const { Value, Export } of Object.values(stack.template.Outputs ?? {})) {
      if (Export) exports.set(Export.Name, () => resolved(Value, stack));
    }
  }
  return placed.flatMap((stack) =>
    Object.entries(stack.template.Resources).map(([id, { Type, Properties }]) => ({
      stackName: stack.place.stackName,
      id,
      type: Type,
      properties: { ...(resolved(Properties, stack) as object | undefined) },
    })),
  );
}

function placeOf(stackName: string, region: string): Place {
  const { partition, domainSuffix } = RegionInfo.get(region);
  if (partition === undefined || domainSuffix === undefined) throw new Error(`The CDK knows no region ${region}.`);
  return { stackName, account: ACCOUNT, region, partition, urlSuffix: domainSuffix };
}

/** `AWS::NoValue` removes its property. */
const NOTHING = Symbol('AWS::NoValue');

/** A value of a template with all functions resolved. */
function resolved(value: unknown, stack: Stack): unknown {
  if (Array.isArray(value)) return value.map((item) => resolved(item, stack)).filter((item) => item !== NOTHING);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value);
  const [name, argument] = entries[0] ?? [];
  if (entries.length === 1 && name !== undefined && /^(Ref$|Fn::)/.test(name)) return called(name, argument, stack);
  return Object.fromEntries(
    entries.map(([key, member]) => [key, resolved(member, stack)]).filter(([, member]) => member !== NOTHING),
  );
}

function called(name: string, argument: unknown, stack: Stack): unknown {
  const parts = (): unknown[] => resolved(argument, stack) as unknown[];
  switch (name) {
    case 'Ref':
      return reference(argument as string, stack);
    case 'Fn::GetAtt': {
      const [id, attribute] = argument as [string, string];
      return physicalValue(asked(id, stack), attribute);
    }
    case 'Fn::ImportValue': {
      const exported = resolved(argument, stack) as string;
      const value = stack.exports.get(exported);
      if (!value) throw new Error(`No stack of the stage exports ${exported}.`);
      return value();
    }
    case 'Fn::Join': {
      const [separator, list] = parts() as [string, unknown[]];
      return list.join(separator);
    }
    case 'Fn::Select': {
      const [index, list] = parts() as [number, unknown[]];
      return list[index];
    }
    case 'Fn::Split': {
      const [separator, text] = parts() as [string, string];
      return text.split(separator);
    }
    case 'Fn::Sub':
      if (typeof argument === 'string') {
        return argument.replaceAll(/\$\{([\w:]+)\}/g, (_all, id: string) => String(reference(id, stack)));
      }
  }
  throw new Error(`test/support/template-rules/resolved.ts does not know ${name} of ${JSON.stringify(argument)}.`);
}

function reference(id: string, stack: Stack): unknown {
  const { account, region, partition, stackName, urlSuffix } = stack.place;
  const pseudo: Readonly<Record<string, unknown>> = {
    'AWS::AccountId': account,
    'AWS::NoValue': NOTHING,
    'AWS::Partition': partition,
    'AWS::Region': region,
    'AWS::StackId': `arn:${partition}:cloudformation:${region}:${account}:stack/${stackName}/0d1e2f3a-0000-4000-8000-000000000000`,
    'AWS::StackName': stackName,
    'AWS::URLSuffix': urlSuffix,
  };
  return id in pseudo ? pseudo[id] : physicalValue(asked(id, stack));
}

function asked(id: string, stack: Stack): Asked {
  const { Resources } = stack.template;
  const resource = Resources[id];
  if (!resource) throw new Error(`${stack.place.stackName} has no resource ${id}.`);
  const property = (name: string): string | undefined => {
    const value = (resource.Properties as Readonly<Record<string, unknown>> | undefined)?.[name];
    return value === undefined ? undefined : String(resolved(value, stack));
  };
  return { id, type: resource.Type, place: stack.place, property };
}
