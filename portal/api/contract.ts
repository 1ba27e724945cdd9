import type * as v from 'valibot';
import type { CONTRACT } from '../../functions/portal/contract/index.ts';
import type { Route } from '../../functions/portal/contract/route.ts';

/** The routes of the portal's function by path and method, in the form that the client of `client.ts` reads. */
export type Paths = {
  [Path in Routes['path']]: {
    [Known in Extract<Routes, { path: Path }> as Lowercase<Known['method']>]: Operation<Known>;
  };
};
type Routes = (typeof CONTRACT)[keyof typeof CONTRACT];

type Operation<Known extends Route> = {
  parameters: Parameter<'path', PathIds<Known['path']>> &
    (Known extends { query: infer Query extends v.GenericSchema } ? { query?: Sent<v.InferInput<Query>> } : object) &
    (Known extends { isRepeatable: true } ? { header?: { 'Idempotency-Key': string } } : object);
  responses: { [Status in keyof Known['answers']]: { content: Content<Known['answers'][Status]> } };
} & (Known extends { body: infer Body extends v.GenericSchema }
  ? { requestBody: { content: { 'application/json': v.InferInput<Body> } } }
  : { requestBody?: never });

/** The parameters of a path: the names in its braces. */
type PathIds<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}` ? Name | PathIds<Rest> : never;
type Parameter<In extends string, Names extends string> = [Names] extends [never]
  ? object
  : Record<In, Record<Names, string>>;

/** Parameters of a query are texts: a number is sent as one. */
type Sent<Query> = { [Name in keyof Query]: Query[Name] | (string extends Query[Name] ? number : never) };

/** A table is asked for as text; nothing comes with 204. */
type Content<Answer> = Answer extends v.GenericSchema
  ? v.InferOutput<Answer> extends infer Body
    ? [Body] extends [undefined]
      ? never
      : Body extends string
        ? { 'text/csv': Body }
        : { 'application/json': Body }
    : never
  : never;
