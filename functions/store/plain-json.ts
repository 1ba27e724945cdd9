import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';

type Stack = DynamoDBClient['middlewareStack'];
/** A step of the SDK on the way of a call, as far as it is looked at here. */
type Step = (next: Handler, context: Context) => Handler;
type Handler = (args: Arguments) => Promise<Result>;
interface Place {
  readonly name: string;
  readonly step: string;
  readonly priority: string;
}
interface Context {
  readonly commandName?: string;
  readonly endpointV2?: { readonly url: URL };
}
interface Arguments {
  readonly input: { readonly ClientRequestToken?: string };
  readonly request?: object;
}
interface Result {
  readonly response: Response;
  readonly output?: object;
}
interface Response {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/** Calls about items, but for a scan, which nothing here makes. Their input and output are on the wire what they are here, since no item of ours has bytes. */
const PLAIN_CALLS: ReadonlySet<string | undefined> = new Set([
  'BatchGetItemCommand',
  'BatchWriteItemCommand',
  'DeleteItemCommand',
  'GetItemCommand',
  'PutItemCommand',
  'QueryCommand',
  'TransactGetItemsCommand',
  'TransactWriteItemsCommand',
  'UpdateItemCommand',
]);

/**
 * Has calls about items written and read by `JSON` alone. The SDK walks through the schema of each call and copies its
 * configuration twice, a seventh of a ping's CPU time. Every other call, every error and a transaction without a token,
 * which the SDK adds, stay the SDK's.
 */
export function speakPlainJson({ middlewareStack: stack, config }: DynamoDBClient): void {
  const steps = stepsOf(stack);

  const serialize = steps.replace('serializerMiddleware', (next, context) => async (args) => {
    const { commandName = '', endpointV2 } = context;
    const isWhole = commandName !== 'TransactWriteItemsCommand' || args.input.ClientRequestToken !== undefined;
    if (!PLAIN_CALLS.has(commandName) || !isWhole || !endpointV2) return serialize(next, context)(args);
    const { protocol, hostname, port, pathname } = endpointV2.url;
    const headers = {
      'content-type': 'application/x-amz-json-1.0',
      'x-amz-target': `DynamoDB_20120810.${commandName.slice(0, -'Command'.length)}`,
    };
    const body = Buffer.from(JSON.stringify(args.input));
    const request = { method: 'POST', protocol, hostname, path: pathname, query: {}, headers, body };
    return next({ ...args, request: port === '' ? request : { ...request, port: Number(port) } });
  });

  const deserialize = steps.replace('deserializerMiddleware', (next, context) => async (args) => {
    if (!PLAIN_CALLS.has(context.commandName)) return deserialize(next, context)(args);
    const { response } = await next(args);
    if (response.statusCode !== 200) return deserialize(() => Promise.resolve({ response }), context)(args);
    const $metadata = { httpStatusCode: 200, requestId: response.headers['x-amzn-requestid'] };
    const bytes = await config.streamCollector(response.body);
    const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString();
    return { response, output: { ...(JSON.parse(text) as object), $metadata } };
  });
}

/** The steps of a stack, of which each can be replaced at its place, for the one that was there. */
function stepsOf(stack: Stack) {
  const found = new Map<string, readonly [original: Step, place: Place]>();
  const note = (step: Step, { name, step: phase, priority }: Place) =>
    found.set(name, [step, { name, step: phase, priority }]);
  stack.applyToStack({ ...stack, add: note } as unknown as Stack);
  return {
    replace: (name: string, step: Step): Step => {
      const [original, place] = found.get(name) ?? [];
      if (!original) throw new Error(`the SDK has no ${name}`);
      (stack.add as (step: Step, place: object) => void)(step, { ...place, override: true });
      return original;
    },
  };
}
