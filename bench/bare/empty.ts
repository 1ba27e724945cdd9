/** A function that does nothing: what a process itself takes to start. */
export const handler = (): void => undefined;
