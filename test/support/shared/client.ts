/**
 * A value that the tests of a run share, by its name in things.ts. The first test that asks for it causes its creation.
 */
export async function shared<Value>(name: string): Promise<Value> {
  const { TEST_SHARED_URL } = process.env;
  if (TEST_SHARED_URL === undefined) throw new Error(`${name} is made by jest's globalSetup, which did not run.`);
  const response = await fetch(`${TEST_SHARED_URL}/${name}`);
  if (!response.ok) throw new Error(await response.text());
  return (await response.json()) as Value;
}
