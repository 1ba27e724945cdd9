import type { MeteredOperation } from '../core/operation.ts';
import type { GatewayHandler } from './chain.ts';
import { jsonResponse } from './json-response.ts';
import { checkedInput } from './request-state.ts';

/** The innermost handler: executes the operation, and notes its token counts for the usage event. */
export const execution =
  ({ operation }: { readonly operation: Pick<MeteredOperation, 'execute'> }): GatewayHandler =>
  async (_event, { state }) => {
    const { body, tokens } = await operation.execute(checkedInput(state).input);
    state.tokens = tokens;
    return jsonResponse(200, { ...body, requestId: state.requestId });
  };
