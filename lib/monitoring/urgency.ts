/** Whether an alarm pages: many callers or people fail now, or it can wait for the morning. */
export type Urgency = 'page' | 'tomorrow';

/** The beginning of an alarm's text; a pager's subscription can filter by it. */
export const URGENCY_TEXT: Readonly<Record<Urgency, string>> = { page: 'PAGE.', tomorrow: 'TOMORROW.' };
