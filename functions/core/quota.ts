/** Whether no unit is left. An undefined limit is not enforced; a limit of 0 is always used up. */
export const isQuotaExhausted = (limit: number | undefined, used: number): boolean =>
  limit !== undefined && used >= limit;
