export type { Limit, PingResult } from './answer.ts';
export { SandboxGateway, type CallOptions, type SandboxGatewayOptions } from './client.ts';
export { SandboxGatewayError, type ClientErrorCode, type Code } from './errors.ts';
export type { ErrorCode, Ping, PingRequest, Simulation } from './types.ts';
