/** Whether fewer units are left than a request costs. An undefined limit is not enforced. */
export const lacksUnits = (limit: number | undefined, used: number, units: number): boolean =>
  limit !== undefined && used + units > limit;
