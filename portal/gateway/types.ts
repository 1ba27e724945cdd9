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

/** Text, or an element: its name, its content, and the address of a link. */
export type Inline =
  | string
  | readonly [name: 'code' | 'b' | 'i', content: readonly Inline[]]
  | readonly [name: 'a', content: readonly Inline[], address: string];

/** Code of a page, with its name. */
export interface CodeOfPage {
  readonly kind: 'code';
  readonly what: string;
  readonly text: string;
  readonly parts: readonly CodePart[];
}

/** A block of a page of prose. A slot is what a component shows, a choice shows one of its options at a time. */
export type Block =
  | { readonly kind: 'paragraph'; readonly content: readonly Inline[] }
  | { readonly kind: 'list'; readonly items: readonly (readonly Inline[])[] }
  | {
      readonly kind: 'table';
      readonly headings: readonly string[];
      readonly rows: readonly (readonly (readonly Inline[])[])[];
    }
  | CodeOfPage
  | {
      readonly kind: 'choice';
      readonly label: string;
      readonly options: readonly { readonly name: string; readonly about: string; readonly code: CodeOfPage }[];
    }
  | { readonly kind: 'slot'; readonly name: string };

/** Code, or code in the colour of its kind. */
export type CodePart = string | readonly [kind: string, text: string];

/** A page of prose, from `docs/api/`. */
export interface Guide {
  readonly address: string;
  readonly title: string;
  readonly about: readonly Inline[];
  readonly sections: readonly {
    readonly id: string;
    readonly title: string;
    readonly blocks: readonly Block[];
  }[];
}
