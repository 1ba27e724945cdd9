/**
 * The parts of the gateway's contract that the pages use, from `openapi.yaml`. Texts are CommonMark with code and bold
 * type only.
 */

/** An error code of the gateway. */
export interface GatewayError {
  readonly code: string;
  readonly status: number;
  readonly title: string;
  /** Of the answer itself. */
  readonly detail: string;
  readonly meaning: string;
  readonly todo: string;
}

/** A member of a body, or a parameter. */
export interface Member {
  readonly name: string;
  readonly isRequired: boolean;
  /** `string, at most 128 characters`. */
  readonly type: string;
  readonly description: string;
}

/** A JSON text, and what it is an example of. */
interface Example {
  readonly summary: string;
  readonly text: string;
}

/** The body of a request or an answer. */
export interface Body {
  readonly description: string;
  readonly members: readonly Member[];
  readonly examples: readonly Example[];
}

/** An answer of operations: a body, or the codes of a refusal, or neither. */
export interface Answer {
  readonly status: number;
  readonly description: string;
  readonly body?: Body;
  readonly codes?: readonly string[];
  /** The meaning of its headers, by name. */
  readonly headers: Readonly<Record<string, string>>;
}

/** An operation of the gateway. */
export interface Operation {
  readonly operationId: string;
  readonly method: string;
  readonly path: string;
  readonly summary: string;
  readonly description: string;
  /** The required scope of the key. Absent: no key is needed. */
  readonly scope?: string;
  readonly parameters: readonly Member[];
  readonly body?: Body;
  /** Names of its answers. */
  readonly answers: readonly string[];
}

/** The contract as a whole. */
export interface GatewayContract {
  /** Paragraphs about all operations. */
  readonly description: readonly string[];
  /** By code: the curl command that causes it. */
  readonly makeThisHappen: Readonly<Record<string, string>>;
  /** The values of `simulate`. */
  readonly simulations: readonly string[];
  /** How a key is sent, and where it must not be. */
  readonly authentication: string;
  /** Of a refusal or a failure. */
  readonly problem: readonly Member[];
  /** By name: operations share them. */
  readonly answers: Readonly<Record<string, Answer>>;
  /** Names of the answers to paths and methods that are no operations. */
  readonly unlisted: readonly string[];
  readonly operations: readonly Operation[];
}
