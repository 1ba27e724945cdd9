/** Whether an alarm wakes somebody: callers or people are failing now, in numbers, or it can wait for the morning. */
export type Urgency = 'page' | 'tomorrow';

/** How the text of an alarm begins; a subscription of a pager can go by it. */
export const URGENCY_TEXT: Readonly<Record<Urgency, string>> = { page: 'PAGE.', tomorrow: 'TOMORROW.' };
