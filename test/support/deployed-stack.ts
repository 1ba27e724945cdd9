/** A stack as CloudFormation describes it, in account 123456789012 and eu-central-1. */
export const deployedStack = (StackName: string, outputs: Readonly<Record<string, string>>) => ({
  StackName,
  StackId: `arn:aws:cloudformation:eu-central-1:123456789012:stack/${StackName}/0`,
  StackStatus: 'CREATE_COMPLETE' as const,
  CreationTime: new Date(0),
  Outputs: Object.entries(outputs).map(([OutputKey, OutputValue]) => ({ OutputKey, OutputValue })),
});

/** CloudFormation's error for a stack that does not exist. */
export const noStack = (): Error =>
  Object.assign(new Error('Stack with id x does not exist'), { name: 'ValidationError' });

interface Calls {
  calls(): readonly { readonly args: readonly object[] }[];
}

/** The actions that services were called with, by their IAM prefix, such as `lambda:GetAlias`. */
export const actionsAsked = (services: Readonly<Record<string, Calls>>): string[] =>
  Object.entries(services).flatMap(([prefix, service]) =>
    service.calls().map(({ args }) => `${prefix}:${args[0]?.constructor.name.replace(/Command$/, '')}`),
  );
