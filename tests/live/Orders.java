// SPDX-License-Identifier: GPL-3.0-or-later
/** Walks a list of orders in random order, for test_java.sh: Orders SECONDS. */
import java.util.Random;

class Orders {
    static class Order {
        int id;
        long price;
        Order next;
    }

    public static void main(String[] arguments) {
        Order[] all = new Order[1 << 20];
        Random random = new Random(1);
        for (int i = 0; i < all.length; i++) {
            all[i] = new Order();
            all[i].price = i;
        }
        for (int i = all.length - 1; i > 0; i--) {
            int other = random.nextInt(i);
            Order kept = all[i];
            all[i] = all[other];
            all[other] = kept;
        }
        for (int i = 0; i < all.length; i++)
            all[i].next = all[(i + 1) % all.length];
        long end = System.nanoTime() + (long) (Double.parseDouble(arguments[0]) * 1e9);
        long sum = 0;
        for (Order order = all[0]; System.nanoTime() < end;)
            for (int i = 0; i < 10000; i++, order = order.next)
                sum += order.price;
        System.out.println(sum);
    }
}
