/** A time in the form of a field of date and time, `2026-11-22T14:00`, in the reader's time zone. */
export function toLocalField(time: string): string {
  const date = new Date(time);
  const two = (number: number): string => String(number).padStart(2, '0');
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return `${day}T${two(date.getHours())}:${two(date.getMinutes())}`;
}

/** The time in such a field, ISO 8601 in UTC. Undefined: it holds none. */
export function fromLocalField(value: string): string | undefined {
  const date = new Date(value);
  return value === '' || Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}
