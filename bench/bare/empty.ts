/** A function that does nothing. It shows how long a process itself takes to start. */
export const handler = (): void => undefined;
