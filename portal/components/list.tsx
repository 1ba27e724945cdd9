import { Fragment, type ReactNode } from 'react';
import { Unseen } from './card.tsx';
import css from './list.module.css';

export interface Column<Item> {
  readonly heading: string;
  readonly cell: (item: Item) => ReactNode;
  readonly isNumber?: boolean;
  /** Stays on one line. */
  readonly isShort?: boolean;
  /** It holds the most words. */
  readonly isWide?: boolean;
  /** The menu of the row. Its heading is for screen readers. */
  readonly isActions?: boolean;
  /** Only on wide screens. */
  readonly isExtra?: boolean;
  /** The position in a row of two lines, on narrow screens. */
  readonly narrow?: 'lead' | 'end' | 'second' | 'secondEnd' | 'below';
}

interface ListProps<Item> {
  readonly label: string;
  readonly columns: readonly Column<Item>[];
  readonly items: readonly Item[];
  readonly idOf: (item: Item) => string;
  /** For many columns of numbers: narrower, and its headings may wrap. */
  readonly isDense?: boolean;
  /** Columns of equal width, except the first, whatever they hold. So later content moves nothing. */
  readonly isEven?: boolean;
  /** A table on narrow screens, too: its first column is cut. */
  readonly isSmall?: boolean;
  /** Columns as wide as those of the page's other lists, whatever they hold. */
  readonly isAligned?: boolean;
  /** Muted: it has ended. */
  readonly isOver?: (item: Item) => boolean;
  /** What neighbours belong to that have this in common; undefined: to nothing. */
  readonly groupOf?: (item: Item) => string | undefined;
  /** What stands above the first of a group. */
  readonly headOf?: (item: Item) => ReactNode;
}

/**
 * A table. On narrow screens its rows are two lines, where the columns say so, and cards otherwise. Its roles are
 * explicit, since a table with such a layout has none for a screen reader.
 */
export const List = <Item,>({
  label,
  columns,
  items,
  idOf,
  isDense = false,
  isEven = false,
  isAligned = false,
  isSmall = false,
  isOver,
  groupOf = () => undefined,
  headOf,
}: ListProps<Item>) => {
  const isTwoLines = columns.some(({ narrow }) => narrow !== undefined);
  const look = [
    css.table,
    isTwoLines ? css.lines : css.cards,
    isDense && css.dense,
    isEven && css.even,
    isAligned && css.aligned,
    isSmall && css.small,
  ]
    .filter(Boolean)
    .join(' ');
  return (
    <div className={isSmall ? undefined : css.list}>
      <table className={look} role="table" aria-label={label}>
        <thead role="rowgroup" className={css.head}>
          <tr role="row">
            {columns.map(({ heading, isNumber, isActions, isExtra }) => (
              <th
                key={heading}
                role="columnheader"
                scope="col"
                className={[isNumber && css.number, isExtra && css.extra].filter(Boolean).join(' ')}
              >
                {isActions ? <Unseen>{heading}</Unseen> : heading}
              </th>
            ))}
          </tr>
        </thead>
        <tbody role="rowgroup">
          {items.map((item, index) => {
            const group = groupOf(item);
            const isFirst = index === 0 || groupOf(items[index - 1] as Item) !== group;
            const state = [css.row, isOver?.(item) && css.over, group !== undefined && css.grouped];
            return (
              <Fragment key={idOf(item)}>
                {group !== undefined && isFirst && (
                  <tr role="row" className={css.group}>
                    <td role="cell" colSpan={columns.length}>
                      {headOf?.(item)}
                    </td>
                  </tr>
                )}
                <tr role="row" className={state.filter(Boolean).join(' ')}>
                  {columns.map((column) => (
                    <td
                      key={column.heading}
                      role="cell"
                      data-label={column.isActions ? undefined : column.heading}
                      className={classOf(column)}
                    >
                      <div className={css.value}>{column.cell(item)}</div>
                    </td>
                  ))}
                </tr>
              </Fragment>
            );
          })}
        </tbody>
      </table>
    </div>
  );
};

const classOf = ({ isNumber, isShort, isWide, isActions, isExtra, narrow }: Column<never>): string =>
  [
    css.cell,
    isNumber && css.number,
    isShort && css.short,
    isWide && css.wide,
    isActions && css.actions,
    isExtra && css.extra,
    narrow && css[narrow],
  ]
    .filter(Boolean)
    .join(' ');
