/** The value of awaited work, or its failure. */
export function fulfilled<T>(result: PromiseSettledResult<T>): T {
  if (result.status === 'rejected') throw result.reason;
  return result.value;
}

/**
 * The values of parallel work. All of it is awaited, since a call in flight would be frozen with the function. Of
 * several failures it throws that of the earliest in the list.
 */
export async function allFulfilled<T extends readonly Promise<unknown>[] | []>(
  work: T,
): Promise<{ -readonly [I in keyof T]: Awaited<T[I]> }> {
  const settled: readonly PromiseSettledResult<unknown>[] = await Promise.allSettled(work);
  return settled.map(fulfilled) as never;
}
