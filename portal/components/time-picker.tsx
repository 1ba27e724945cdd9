import { useEffect, useRef, useState } from 'react';
import { CalendarDays, ChevronLeft, ChevronRight } from 'lucide-react';
import { fromAbsolute, getLocalTimeZone, toCalendarDate, toZoned, type ZonedDateTime } from '@internationalized/date';
import {
  Button,
  Calendar,
  CalendarCell,
  CalendarGrid,
  DateInput,
  DatePicker,
  DateSegment,
  Group,
  Label,
  Popover,
} from 'react-aria-components/DatePicker';
import { Dialog } from 'react-aria-components/Dialog';
import { Heading } from 'react-aria-components/Heading';
import { Icon } from './icon.tsx';
import fieldsCss from './fields.module.css';
import menuCss from './menu.module.css';
import css from './time-picker.module.css';
import { useNow } from './use-now.ts';

export interface TimeFieldProps {
  readonly label: string;
  /** ISO 8601. Undefined, or what is no time: the field is empty. */
  readonly value: string | undefined;
  /** Called when the field loses the focus or on Enter: half a year is no year. The time is in UTC. */
  readonly onChange: (value: string | undefined) => void;
}

const MINUTE_MS = 60_000;

/** A time as the field shows it, without seconds; null: there is none. */
function parsed(value = ''): ZonedDateTime | null {
  const ms = Date.parse(value);
  return Number.isNaN(ms) ? null : fromAbsolute(Math.floor(ms / MINUTE_MS) * MINUTE_MS, getLocalTimeZone());
}

/** Fields for the parts of a time in the reader's time zone, in the order of the page's dates, and a calendar. */
export default function TimePicker({ label, value, onChange }: TimeFieldProps) {
  const [time, setTime] = useState(() => parsed(value));
  const nowMs = useNow();
  const [seen, setSeen] = useState(value);
  if (value !== seen) {
    setSeen(value);
    setTime(parsed(value));
  }
  // A ref, since the field tells a time that does not exist only while it loses the focus: before the state is drawn.
  const typed = useRef<ZonedDateTime | null>(undefined);
  useEffect(() => {
    typed.current = undefined;
  }, [value]);
  const keep = (): void => {
    if (typed.current === undefined) return;
    const kept = typed.current?.toAbsoluteString();
    if (kept !== parsed(value)?.toAbsoluteString()) onChange(kept);
  };
  return (
    <DatePicker
      value={time}
      onChange={(next) => {
        typed.current = next;
        setTime(next);
      }}
      granularity="minute"
      placeholderValue={toZoned(toCalendarDate(fromAbsolute(nowMs, getLocalTimeZone())), getLocalTimeZone())}
      hideTimeZone
      onBlur={keep}
      onOpenChange={(isOpen) => !isOpen && keep()}
      className={fieldsCss.field ?? ''}
    >
      <Label className={fieldsCss.label ?? ''}>{label}</Label>
      <Group className={css.group ?? ''} onKeyDownCapture={({ key }) => key === 'Enter' && keep()}>
        <DateInput className={css.parts ?? ''}>
          {(segment) => <DateSegment segment={segment} className={css.part ?? ''} />}
        </DateInput>
        <Button className={css.button ?? ''}>
          <Icon of={CalendarDays} />
        </Button>
      </Group>
      <Popover className={menuCss.popover ?? ''}>
        <Dialog className={css.dialog ?? ''}>
          <Calendar>
            <header className={css.head}>
              <Button slot="previous" className={css.button ?? ''}>
                <Icon of={ChevronLeft} />
              </Button>
              <Heading className={css.month ?? ''} />
              <Button slot="next" className={css.button ?? ''}>
                <Icon of={ChevronRight} />
              </Button>
            </header>
            <CalendarGrid>{(date) => <CalendarCell date={date} className={css.day ?? ''} />}</CalendarGrid>
          </Calendar>
        </Dialog>
      </Popover>
    </DatePicker>
  );
}
