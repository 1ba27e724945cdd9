import type { ReactNode } from 'react';
import css from './list.module.css';

interface Column<Item> {
  readonly heading: string;
  readonly cell: (item: Item) => ReactNode;
  readonly isNumber?: boolean;
  /** Stays on one line. */
  readonly isShort?: boolean;
  /** Holds buttons: its heading is for screen readers. */
  readonly isActions?: boolean;
}

interface ListProps<Item> {
  readonly label: string;
  readonly columns: readonly Column<Item>[];
  readonly items: readonly Item[];
  readonly idOf: (item: Item) => string;
  /** Of many columns of numbers: closer, and its headings may break. */
  readonly isDense?: boolean;
}

/**
 * A table, and on narrow screens a list of cards. The roles are written out, since a table that is laid out as cards
 * is none to a screen reader any more.
 */
export const List = <Item,>({ label, columns, items, idOf, isDense = false }: ListProps<Item>) => (
  <div className={css.list}>
    <table className={[css.table, isDense && css.dense].filter(Boolean).join(' ')} role="table" aria-label={label}>
      <thead role="rowgroup" className={css.head}>
        <tr role="row">
          {columns.map(({ heading, isNumber, isActions }) => (
            <th key={heading} role="columnheader" scope="col" className={isNumber ? css.number : undefined}>
              {isActions ? <span className={css.unseen}>{heading}</span> : heading}
            </th>
          ))}
        </tr>
      </thead>
      <tbody role="rowgroup">
        {items.map((item) => (
          <tr key={idOf(item)} role="row" className={css.row}>
            {columns.map(({ heading, cell, isNumber, isShort, isActions }) => (
              <td
                key={heading}
                role="cell"
                data-label={isActions ? undefined : heading}
                className={[css.cell, isNumber && css.number, isShort && css.short, isActions && css.actions]
                  .filter(Boolean)
                  .join(' ')}
              >
                <div className={css.value}>{cell(item)}</div>
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  </div>
);
